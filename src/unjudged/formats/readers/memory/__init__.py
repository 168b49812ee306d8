"""Dicts, rows, arrays and datasets."""
