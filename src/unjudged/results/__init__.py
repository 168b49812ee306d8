"""Results: rows over one registry of fields, views of them, and the words that they are said in."""
