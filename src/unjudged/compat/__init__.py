"""The measures from within other tools, and under their names."""
