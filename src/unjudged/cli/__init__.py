"""Command line: parse, call, print."""
