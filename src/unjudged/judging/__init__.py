"""Judgment designs: which documents of a pool are judged, and what becomes of the rest."""
