"""Bounds: the lowest and highest value over every completion of the judgments."""
