"""Documents of the same score: expected values and ranges over all orders of them."""
