# Written by `make docs`.
from unjudged.judging.designs import DESIGNS as DESIGNS, Design as Design, design as design, stated_sample as stated_sample
from unjudged.judging.groups_left_out import left_out_groups as left_out_groups
from unjudged.judging.judging_page import judging_page as judge
from unjudged.judging.merging import Merged as Merged, merge as merge
from unjudged.judging.next_documents import NextDocuments as NextDocuments, next_documents as next
from unjudged.judging.pooling import Pool as Pool

__all__ = [
    "DESIGNS",
    "Design",
    "Merged",
    "NextDocuments",
    "Pool",
    "design",
    "judge",
    "left_out_groups",
    "merge",
    "next",
    "stated_sample",
]
