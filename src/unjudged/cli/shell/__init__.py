"""Parsing, output, and everything else between a shell and a command."""
