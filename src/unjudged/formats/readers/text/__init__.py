"""TREC text, MS MARCO, CSV and TSV, JSON and JSON lines."""
