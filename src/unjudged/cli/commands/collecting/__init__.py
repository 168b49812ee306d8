"""Commands that collect judgments."""
