"""How far a number can be trusted: what the unjudged leave open, what the sample of queries does."""
