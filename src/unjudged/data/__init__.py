"""Only place that opens a file: text, streams and frames become columns."""
