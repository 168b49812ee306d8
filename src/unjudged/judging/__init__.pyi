# Written by `make docs`.
from unjudged.judging.designs import DESIGNS as DESIGNS, Design as Design, design as design, stated_sample as stated_sample
from unjudged.judging.judging_page import judging_page as judge
from unjudged.judging.merging import Merged as Merged, merge as merge
from unjudged.judging.next_documents import NextDocuments as NextDocuments, next_documents as next
from unjudged.judging.pooling import Pool as Pool, left_out_groups as left_out_groups

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
