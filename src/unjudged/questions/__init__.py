"""The questions that users ask: which contrasts of which evidence, and the result that answers them."""
