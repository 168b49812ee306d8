"""Tests over queries: significance, corrections for many comparisons, effects and power."""
