"""A collection, described once: its file, where that is found, and what its keys mean."""
