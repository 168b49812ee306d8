"""In the place of the tools people have, and within them: trec_eval, pytrec_eval, ir_measures."""
