"""The works that measures cite, by key."""

from __future__ import annotations

from typing import NamedTuple


class Reference(NamedTuple):
    authors: str
    title: str
    where: str
    year: int

    @property
    def text(self) -> str:
        return f"{self.authors}. {self.title}. {self.where}, {self.year}."


REFERENCES = {
    "harman1993": Reference(
        "D. K. Harman",
        "Overview of the first Text REtrieval Conference (TREC-1)",
        "NIST Special Publication 500-207",
        1993,
    ),
    "salton1983": Reference(
        "G. Salton and M. J. McGill", "Introduction to Modern Information Retrieval", "McGraw-Hill", 1983
    ),
    "vanrijsbergen1979": Reference(
        "C. J. van Rijsbergen", "Information Retrieval, 2nd edition", "Butterworths", 1979
    ),
    "voorhees1999": Reference(
        "E. M. Voorhees", "The TREC-8 question answering track report", "TREC-8, NIST SP 500-246", 1999
    ),
    "jarvelin2002": Reference(
        "K. Järvelin and J. Kekäläinen",
        "Cumulated gain-based evaluation of IR techniques",
        "ACM Transactions on Information Systems 20(4), 422-446",
        2002,
    ),
    "buckley2004": Reference(
        "C. Buckley and E. M. Voorhees",
        "Retrieval evaluation with incomplete information",
        "SIGIR 2004, 25-32",
        2004,
    ),
    "burges2005": Reference(
        "C. Burges and others", "Learning to rank using gradient descent", "ICML 2005, 89-96", 2005
    ),
    "yilmaz2006": Reference(
        "E. Yilmaz and J. A. Aslam",
        "Inferred AP: estimating average precision with incomplete judgments",
        "SIGIR 2006 and Northeastern University",
        2006,
    ),
    "moffat2008": Reference(
        "A. Moffat and J. Zobel",
        "Rank-biased precision for measurement of retrieval effectiveness",
        "ACM Transactions on Information Systems 27(1), article 2",
        2008,
    ),
    "yilmaz2008": Reference(
        "E. Yilmaz and J. A. Aslam",
        "Estimating average precision when judgments are incomplete",
        "Knowledge and Information Systems 16(2), 173-211",
        2008,
    ),
    "aslam2007": Reference(
        "J. A. Aslam and V. Pavlu",
        "A practical sampling strategy for efficient retrieval evaluation",
        "Northeastern University technical report",
        2007,
    ),
    "robertson2008": Reference(
        "S. Robertson", "A new interpretation of average precision", "SIGIR 2008, 689-690", 2008
    ),
    "yilmaz2008b": Reference(
        "E. Yilmaz, E. Kanoulas and J. A. Aslam",
        "A simple and efficient sampling method for estimating AP and NDCG",
        "SIGIR 2008, 603-610",
        2008,
    ),
    "chapelle2009": Reference(
        "O. Chapelle, D. Metzler, Y. Zhang and P. Grinspan",
        "Expected reciprocal rank for graded relevance",
        "CIKM 2009, 621-630",
        2009,
    ),
    "park2016": Reference(
        "L. A. F. Park",
        "Uncertainty in rank-biased precision",
        "Australasian Document Computing Symposium",
        2016,
    ),
}
