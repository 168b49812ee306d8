# Written by `make docs`.
from unjudged.judging.choosing.next_documents import next_documents as next
from unjudged.judging.choosing.next_result import Candidate as Candidate, NextDocuments as NextDocuments
from unjudged.judging.collecting.drawn_sample import DrawnSample as DrawnSample, draw as sample
from unjudged.judging.collecting.judging_page import judging_page as judge
from unjudged.judging.collecting.merge_result import Merged as Merged
from unjudged.judging.collecting.merging import merge as merge
from unjudged.judging.collecting.sample_file import read_sample as read_sample, sample_text as sample_text
from unjudged.judging.collecting.stated_sample import stated_sample as stated_sample
from unjudged.judging.pooling.designs import DESIGNS as DESIGNS, Design as Design, design as design
from unjudged.judging.pooling.left_out_groups import left_out_groups as left_out_groups
from unjudged.judging.pooling.pool import Pool as Pool

pool = Pool.of_runs
__all__ = [
    "Candidate",
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
