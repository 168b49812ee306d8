"""Is one system better than another, and can the unjudged documents change that?"""
