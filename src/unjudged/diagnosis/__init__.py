"""What files are, and what can be asked of them."""
