"""One estimator for documents that were drawn: what is predicted of all, corrected by what people judged."""
