"""Estimates from human judgments and predictions, by query and by document."""
