"""The scanner of TREC text: compiled, and its plain-Python twin."""
