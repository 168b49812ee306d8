"""A drop-in for the trec_eval program."""
