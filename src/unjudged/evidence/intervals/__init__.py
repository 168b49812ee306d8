"""Intervals of means: a registry of methods, and what several of them need."""
