"""Dicts, rows, records, datasets, and objects of other libraries."""
