"""What reading, writing and changes of spreadsheets answer, call by call, as a whole."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from mockserver.apis.sheets import API
from mockserver.collections import Store
from mockserver.googleapi import ApiError
from mockserver.model import JsonObject
from mockserver.state import Base, Clock, Ids, World
from tests.mockserver.apis.sheets.test_methods import BOOK, RANGES
from tests.tenants import NOW, ask

GOLDEN = [Path(__file__).with_name(f"{name}.golden.txt") for name in ("values", "requests")]
"""Calls of one spreadsheet in order: a method, its parameters, its body, and what it answers."""


def _answers(calls: list[list[str]]) -> Iterator[str]:
    tables = {
        "sheets:v4/spreadsheets": Store({"spreadsheets/book": BOOK}),
        "sheets:v4/values": Store(RANGES),
        "resources": Store({"sheets:v4": {}}),
    }
    clock = Clock("frozen", captured_at=NOW, real=lambda: NOW)
    world = World(Base(tables, {}, NOW), clock=clock, ids=Ids(1), session="s1")
    for method, given, sent, *_ in calls:
        params: JsonObject = {"spreadsheetId": "book", **json.loads(given)}
        try:
            answer = ask(API, world, f"sheets.spreadsheets.{method}", params, json.loads(sent))
            shown = json.dumps(answer, ensure_ascii=False)
        except ApiError as error:
            shown = f"{error.status} {error.message}"
        yield f"{method}\t{given}\t{sent}\t{shown}"


def _calls(golden: Path) -> list[list[str]]:
    return [line.split("\t") for line in golden.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("golden", GOLDEN, ids=["values", "requests"])
def test_calls_are_answered_as_is_written_down(golden: Path) -> None:
    """`python -m tests.mockserver.apis.sheets.test_values` writes the answers anew."""
    calls = _calls(golden)
    assert list(_answers(calls)) == ["\t".join(call) for call in calls]


if __name__ == "__main__":
    for each in GOLDEN:
        each.write_text("".join(f"{line}\n" for line in _answers(_calls(each))), encoding="utf-8")
