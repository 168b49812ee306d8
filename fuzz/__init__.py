"""A fuzzing harness for every way in which data reaches the package. `python -m fuzz --help`."""
