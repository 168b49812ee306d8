"""How many labels people must give, planned from a pilot."""
