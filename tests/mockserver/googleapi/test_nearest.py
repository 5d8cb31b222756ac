from hypothesis import given
from hypothesis import strategies as st

from mockserver.googleapi import nearest


def test_the_most_similar_name_is_named() -> None:
    assert nearest("/Enginering", ["/Sales", "/Engineering", "/Engine Room"]) == "/Engineering"


def test_nothing_similar_is_nothing() -> None:
    assert nearest("/Engineering", ["xyz"]) == nearest("/Engineering", []) == ""


@given(st.text(min_size=1), st.lists(st.text()))
def test_what_is_there_is_its_own_nearest(name: str, others: list[str]) -> None:
    assert nearest(name, [*others, name]) == name
