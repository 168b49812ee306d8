"""HTML as a tree of harmless elements: whatever the text, only listed names and attributes come out."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from unjudged.judging.collecting.judging_page import ATTRIBUTES, DEEPEST, KEPT, Part, harmless

PIECES = [
    "<p>",
    "</p>",
    "<li",
    ">",
    "<b onclick=x>",
    "</b>",
    "<script>",
    "</script>",
    "<svg>",
    "</svg>",
    "<!--",
]
PIECES += [
    "-->",
    "<td colspan=3>",
    "<h2>",
    "</h2>",
    "<img alt='a'",
    "text ",
    "&lt;",
    "<![CDATA[",
    "]]>",
    "<a href=x>",
]


def checked(parts: list[Part], depth: int = 0) -> str:
    """The text of the parts, which are all of the kind that pages build."""
    assert depth <= DEEPEST
    words = ""
    for part in parts:
        if isinstance(part, str):
            words += part
            continue
        name, attributes, inside = part
        assert name in KEPT | {"h"}
        assert attributes.keys() <= ATTRIBUTES.keys()
        words += checked(inside, depth + 1)
    return words


@given(st.lists(st.sampled_from(PIECES)).map("".join))
def test_only_what_is_listed(text: str) -> None:
    checked(harmless(text))


def test_elements_end_where_html_ends_them() -> None:
    assert harmless("<ul><li>a<li>b</ul>c") == [["ul", {}, [["li", {}, ["a"]], ["li", {}, ["b"]]]], "c"]
    assert harmless("<tr><td>1<td colspan=2 style=x>2<tr>") == [
        ["tr", {}, [["td", {}, ["1"]], ["td", {"colspan": "2"}, ["2"]]]],
        ["tr", {}, []],
    ]
    assert harmless("a<svg><p>x</p></svg>b</div>") == ["a", "b"]
    assert "".join(map(str, harmless("1 < 2 &amp; 3"))) == "1 < 2 & 3"
    assert checked(harmless("<b>" * 3000 + "deep")) == "deep"
