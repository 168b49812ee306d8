"""Scanner of TREC text: compiled, and its plain-Python twin."""
