import csv
import io

import pytest

from harness.errors import InvalidCasesError
from harness.judge.labels import COLUMNS, Item, blind_labels, read_labels
from harness.model import Judge
from tests.harness.records import reply

QUESTION = Judge(question="Why?", criteria=("a", "b"))


def item(id: str, said: str = "text") -> Item:
    return Item(id, "r1", "C-1", 1, QUESTION, (reply(said),))


def test_nothing_in_the_table_tells_a_verdict() -> None:
    """Pitfall 10: labels are blind"""
    assert not {"verdict", "status", "score", "passed", "opinion", "reason"} & set(COLUMNS)
    rows = list(csv.DictReader(io.StringIO(blind_labels([item("b2"), item("a1")]))))
    assert [row["item"] for row in rows] == ["a1", "b2"]
    assert (rows[0]["label"], rows[0]["answer"], rows[0]["criteria"]) == ("", "text", "a\nb")


def test_no_cell_is_a_formula() -> None:
    (row,) = csv.DictReader(io.StringIO(blind_labels([item("a", "=1+1\x00\ud800")])))
    assert row["answer"] == "'=1+1\\ud800"


def test_what_is_filled_in_is_read() -> None:
    found = read_labels("item,run,label\na,r1, PASS \nb,r1,\nc,r1,fail\n", "l.csv")
    assert [(each.item, each.accepted) for each in found] == [("a", True), ("c", False)]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("item,run\n", "no column 'label'"),
        ("", "no column 'item'"),
        ("item,run,label\na,r,good\n", "l.csv:2: label 'good' is neither pass nor fail"),
        ("item,run,label\na,r,pass\na,r,fail\n", "l.csv:3: item 'a' is labelled twice"),
    ],
    ids=["column", "empty", "label", "twice"],
)
def test_what_cannot_be_read_is_told_with_its_line(text: str, said: str) -> None:
    with pytest.raises(InvalidCasesError, match=said):
        read_labels(text, "l.csv")
