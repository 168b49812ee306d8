"""Evaluation on engines that spread it over many machines."""
