"""Frames, Parquet and Arrow files."""
