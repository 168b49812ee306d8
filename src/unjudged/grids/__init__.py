"""Tables of results, and how to show them in every format."""
