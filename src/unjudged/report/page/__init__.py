"""The page of `unjudged report`."""
