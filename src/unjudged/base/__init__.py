"""What everything else stands on: errors, wording, registries, segments, threads."""
