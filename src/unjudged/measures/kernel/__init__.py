"""Definition of a measure: its traits, name and parameters, and the registry."""
