import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.apis.cloudasset.state import has_words, query_test
from mockserver.googleapi import ApiError

ROW = {
    "name": "//compute.googleapis.com/projects/p/zones/us-west1-b/instances/important-vm",
    "displayName": "Important VM",
    "location": "us-west1",
    "labels": {"env": "prod", "team": "shop"},
    "state": "ACTIVE",
    "createTime": "2026-01-01T00:00:00Z",
}


@pytest.mark.parametrize(
    "text",
    [
        "name:Important",
        "displayName:Impor*",
        'displayName="important vm"',
        "location:us-west*",
        "labels:prod",
        "labels:team",
        "labels.env:prod",
        "labels.env:*",
        "state:ACTIVE",
        "NOT state:DELETED",
        "state!=DELETED",
        "createTime<1893456000",
        "createTime>=2026-01-01",
        'createTime<="2026-01-01T00:00:00Z"',
        "Impor*",
        "important location:(us-west1 OR global)",
        "zebra OR vm",
    ],
)
def test_queries_that_find(text: str) -> None:
    test = query_test(text)
    assert test is not None
    assert test(ROW)


@pytest.mark.parametrize(
    "text",
    [
        "name:Import",
        "displayName=Important",
        "labels.env:dev",
        "labels.none:*",
        "state!=ACTIVE",
        "createTime>1893456000",
        "createTime>never",
        "createTime>99999999999999999999",
        "zebra",
        "important location:(us-east1 OR global)",
    ],
)
def test_queries_that_do_not(text: str) -> None:
    test = query_test(text)
    assert test is not None
    assert not test(ROW)


def test_what_cannot_be_read_is_refused() -> None:
    assert query_test(" ") is None
    with pytest.raises(ApiError) as caught:
        query_test("name:(a")
    assert caught.value.status == 400


@given(st.lists(st.text("abc", min_size=1, max_size=3), min_size=1, max_size=4))
def test_a_text_has_its_own_words_and_their_beginnings(words: list[str]) -> None:
    text = "-".join(words)
    assert has_words(text, text.upper())
    assert has_words(f"x {text}", f"{words[0]}*")
    assert has_words(text, "*")
    assert not has_words(text, "-")
