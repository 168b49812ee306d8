"""Foundations: errors, wording, registries, segments, threads."""
