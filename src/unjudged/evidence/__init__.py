"""What is known of systems by a measure, from each kind of source, as contrasts."""
