"""Running a collection: draw, hand out, judge, merge."""
