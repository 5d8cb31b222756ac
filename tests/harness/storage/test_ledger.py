from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from harness.errors import HarnessError, InfrastructureError
from harness.model import Frozen
from harness.storage.ledger import Ledger


class Word(Frozen):
    text: str


def add(path: Path, text: str) -> None:
    Ledger(path, Word).change(lambda known: [*known, Word(text=text)])


def add_many(path: Path, name: str) -> None:
    for number in range(20):
        add(path, f"{name}{number}")


def test_what_is_added_is_there_in_order(tmp_path: Path) -> None:
    path = tmp_path / "runs" / "words.json"
    assert Ledger(path, Word).entries() == ()
    add(path, "a")
    add(path, "b")
    assert [word.text for word in Ledger(path, Word).entries()] == ["a", "b"]
    assert path.read_text(encoding="utf-8").endswith("]\n")


def test_two_writers_lose_nothing_of_each_other(tmp_path: Path) -> None:
    path = tmp_path / "words.json"
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(add_many, [path, path], ["a", "b"]))
    assert len({word.text for word in Ledger(path, Word).entries()}) == 40


@pytest.mark.parametrize("content", ["", "{", '[{"words": 1}]'], ids=["empty", "cut", "other"])
def test_a_broken_file_is_no_empty_one(tmp_path: Path, content: str) -> None:
    path = tmp_path / "words.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(HarnessError, match=r"words\.json: cannot be read: .*mend it"):
        add(path, "a")
    assert path.read_text(encoding="utf-8") == content


def test_a_file_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("a file", encoding="utf-8")
    with pytest.raises(InfrastructureError, match="cannot write"):
        add(tmp_path / "runs" / "words.json", "a")
