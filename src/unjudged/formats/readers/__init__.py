"""One module per kind of source; each turns it into a table."""
