"""What would reverse an order: completions, and the share of relevant documents that does."""
