"""Experiments: what a measure still says of systems when fewer documents are judged."""
