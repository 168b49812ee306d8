"""Arrays come out of a page's block as they went in, bit by bit."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.report.unpacking import unpacked
from unjudged.report.page.packed import Packed


@given(
    st.lists(st.floats()),
    st.lists(st.integers(-(2**31), 2**31 - 1)),
    st.lists(st.integers(0, 2**16 - 1)),
    st.lists(st.text(st.characters())),
)
def test_packed_arrays_come_out_as_they_went_in(
    floats: list[float], integers: list[int], small: list[int], names: list[str]
) -> None:
    packed = Packed()
    packed.add("floats", floats, "f8")
    packed.add_json("names", names)
    packed.add("integers", integers, "i4")
    packed.add("small", small, "u2")
    found = unpacked(packed.index, packed.text())
    assert found["floats"].tobytes() == np.array(floats, "<f8").tobytes()
    assert found["integers"].tolist() == integers
    assert found["small"].tolist() == small
    assert found["names"] == names


def test_the_same_arrays_give_the_same_text() -> None:
    texts = set()
    for _ in range(2):
        packed = Packed()
        packed.add("a", [1.0, 2.0], "f8")
        texts.add(packed.text())
    assert len(texts) == 1
