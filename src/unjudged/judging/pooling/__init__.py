"""Pool, and the designs that decide which of its documents are judged."""
