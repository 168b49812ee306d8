# Written by `make docs`.
from unjudged.judging.designs import DESIGNS as DESIGNS, Design as Design, design as design
from unjudged.judging.drawn_sample import DrawnSample as DrawnSample, draw as sample
from unjudged.judging.groups_left_out import left_out_groups as left_out_groups
from unjudged.judging.judging_page import judging_page as judge
from unjudged.judging.merge_result import Merged as Merged
from unjudged.judging.merging import merge as merge
from unjudged.judging.next_documents import NextDocuments as NextDocuments, next_documents as next
from unjudged.judging.pooling import Pool as Pool
from unjudged.judging.sample_file import read_sample as read_sample, sample_text as sample_text, stated_sample as stated_sample

pool = Pool.of_runs
__all__ = [
    "DESIGNS",
    "Design",
    "DrawnSample",
    "Merged",
    "NextDocuments",
    "Pool",
    "design",
    "judge",
    "left_out_groups",
    "merge",
    "next",
    "pool",
    "read_sample",
    "sample",
    "sample_text",
    "stated_sample",
]
