"""Judgments, runs, and the match of the two."""
