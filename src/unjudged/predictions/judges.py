"""Predictions of relevance."""

from unjudged.evidence.drawn.predictions import Judges, Predictions

__all__ = ["Judges", "Predictions"]
