"""What a measure is: its traits, name and parameters, and the registry."""
