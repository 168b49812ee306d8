"""Drop-ins for trec_eval and pytrec_eval, and our measures inside ir_measures."""
