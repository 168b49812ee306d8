"""The compiled scanner, one extension module; `scan/plain` is the same in plain Python."""
