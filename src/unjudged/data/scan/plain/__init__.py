"""The scanner in plain Python: it specifies the compiled one and runs where nothing was compiled."""
