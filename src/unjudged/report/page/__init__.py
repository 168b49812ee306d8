"""Page of `unjudged report`."""
