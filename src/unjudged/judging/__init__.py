"""Judgment designs: which documents of a pool are judged."""
