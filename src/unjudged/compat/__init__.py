"""Drop-ins for the tools people have: trec_eval's command line, pytrec_eval's calls."""
