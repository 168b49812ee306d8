"""Results as grids, pages and figures."""
