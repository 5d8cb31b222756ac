"""What a verification found: counted, grouped, and written in four forms."""

import json
from pathlib import Path
from typing import Any

import pytest

from mockserver.drift import CaseRead
from mockserver.model import RecordedRequest
from mockserver.verify.agreement import Agreement, Counts
from mockserver.verify.comparison import Answer, Compared, Difference
from mockserver.verify.reports import _STYLE, as_html, as_json, as_junit, as_text

GOLDEN = Path(__file__).with_name("golden")
HOST = "shop.example.com"
NAME = Difference("value", "items[].name", "a", "b")
OTHER = Difference("value", "items[].name", "a", "c")
GONE = Difference("missing", "size", 1)
MORE = Difference("extra", "colour", None, "<red>")
STATUS = Difference("status", "404 -> 200", 404, 200)


def add(
    agreement: Agreement,
    *differences: Difference,
    method: str = "shop.get",
    recording: str = "a.yaml",
    error: bool | None = None,
    body: bytes = b'{"a":1}',
) -> None:
    sent = RecordedRequest("GET", f"https://{HOST}/v1/<x>", (), b"")
    answers = Answer(200, (), body), Answer(404 if error is False else 200, (), b"")
    agreement.add(method, HOST, recording, agreement.total.exchanges + 1, sent, answers,
                  Compared(differences, error, is_json=True))  # fmt: skip


def found() -> Agreement:
    agreement = Agreement(recordings=2, unreadable={"c.json": "1:2: no\x01 JSON"})
    agreement.left_out.update({"cut off": 2})
    agreement.unserved.update({f"h{number}.example.com": 1 for number in range(6)})
    add(agreement, NAME, GONE)
    add(agreement, OTHER, MORE)
    add(agreement, NAME, recording="b.yaml")
    add(agreement, STATUS, method="shop.list", error=False)
    add(agreement, method="shop.list", error=True)
    add(agreement)
    agreement.name_cases(
        [
            CaseRead("C-2", "shop.get", frozenset(), frozenset({("/items/*/name", "b")})),
            CaseRead("C-1", "shop.get", frozenset(), frozenset({("/items/*/name", "z")})),
            CaseRead("C-3", "shop.other", frozenset({"/items/*/name"})),
        ]
    )
    return agreement


def test_exchanges_are_counted_by_method_host_and_recording() -> None:
    agreement = found()
    assert agreement.total == agreement.hosts[HOST]
    assert agreement.total == Counts(
        exchanges=6, status=5, errors=2, errors_agree=1, said=2,
        differences=agreement.total.differences,
    )  # fmt: skip
    assert agreement.total.differences == {"value": 3, "missing": 1, "extra": 1, "status": 1}
    assert {name: (each.exchanges, each.said) for name, each in agreement.methods.items()} == {
        "shop.get": (4, 1), "shop.list": (2, 1),
    }  # fmt: skip
    assert [each.exchanges for each in agreement.by_recording.values()] == [5, 1]
    assert agreement.hosts_of == {"shop.get": {HOST}, "shop.list": {HOST}}
    assert (agreement.total.agreement, Counts().agreement) == (2 / 6, 0.0)


def test_alike_differences_are_a_group_with_the_first_as_its_example() -> None:
    agreement = found()
    group, *others = agreement.worst(("value", "missing", "extra", "status"), 9)
    assert (group.method, group.kind, group.field) == ("shop.get", "value", "items[].name")
    assert (group.count, group.recordings, group.given) == (3, 2, {"b", "c"})
    assert group.example == (
        "a.yaml", 1, f"GET https://{HOST}/v1/<x>", '200\n{"a":1}', "200", NAME,
    )  # fmt: skip
    assert [each.field for each in others] == ["colour", "size", "404 -> 200"]
    assert [each.field for each in agreement.worst(("missing", "extra"), 1)] == ["colour"]
    assert [each.given for each in others] == [set(), set(), set()]


@pytest.mark.parametrize(
    ("difference", "cases"),
    [
        (NAME, ("C-2", "C-4")),  # who read what the mock gives instead
        (Difference("value", "items[].name", "a", ["b"]), ("C-1", "C-2", "C-4")),  # or the place
        (Difference("value", "", "a", "b"), ("C-5",)),
        (GONE, ("C-1", "C-2", "C-3", "C-4", "C-5")),
        (MORE, ("C-1", "C-2", "C-3", "C-4", "C-5")),
    ],
)
def test_cases_rest_on_what_they_read(difference: Difference, cases: tuple[str, ...]) -> None:
    def read(case: str, place: str, value: Any, method: str = "shop.get") -> CaseRead:
        return CaseRead(case, method, frozenset({place}), frozenset({(place, value)}))

    agreement = Agreement()
    add(agreement, difference)
    place = "/items/*/name"
    reads = [read("C-4", place, "b"), read("C-1", place, "z"), read("C-2", place, "b"),
             read("C-3", "/x", "b"), read("C-5", "/", "b"),
             read("C-6", place, "b", "shop.list")]  # fmt: skip
    agreement.name_cases(reads)
    (group,) = agreement.groups.values()
    assert group.cases == cases
    assert agreement.cases == (() if difference == MORE else cases)


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (b"a" * 4000, "a" * 4000),
        (b"a" * 4001, "a" * 4000 + "\n... 1 more bytes"),
        (b"a" * 3999 + "é".encode(), "a" * 3999 + "\n... 1 more bytes"),
        (b"a" * 3997 + b"\xff", "a" * 3997),
        (b"a" * 3996 + b"\xff", "3997 bytes that are no text"),
        (b"\xff", "1 bytes that are no text"),
    ],
)
def test_so_much_of_a_body_is_an_example(body: bytes, told: str) -> None:
    agreement = Agreement()
    add(agreement, GONE, body=body)
    (group,) = agreement.groups.values()
    assert group.example.recorded == f"200\n{told}"


def written() -> dict[str, str]:
    agreement = found()
    return {
        "report.txt": as_text(agreement, 2),
        "report.json": json.dumps(as_json(agreement, 2), indent=1) + "\n",
        "report.html": as_html(agreement, 2).replace(_STYLE, ""),
        "junit.xml": as_junit(agreement, 0.5),
    }


def test_the_reports_are_as_they_were() -> None:
    """To write them anew: python -m tests.mockserver.verify.test_reports"""
    for name, content in written().items():
        assert content == (GOLDEN / name).read_text(encoding="utf-8"), name


def test_what_is_much_is_cut() -> None:
    agreement = Agreement(recordings=1, unreadable={f"{n}.json": "bad" for n in range(21)})
    agreement.other_bodies.update({f"text/{n}": 1 for n in range(5)})
    for number in range(22):
        add(agreement, Difference("value", f"f{number:02}", "a" * 500, "b" * 398))
    agreement.name_cases(
        CaseRead(f"C-{n:02}", "shop.get", frozenset(), frozenset({("/f00", "b" * 398)}))
        for n in range(11)
    )
    text = as_text(agreement, 1).splitlines()
    assert "not read: 19.json: bad" in text
    assert "not read: 1 more" in text
    assert f"bodies that are no JSON: 5: {', '.join(f'text/{n} (1)' for n in range(5))}" in text
    assert text[-3:] == [
        f"   recorded: '{'a' * 399}...",
        f"   given:    '{'b' * 398}'",
        f"   cases:    {', '.join(f'C-{n:02}' for n in range(10))} and 1 more",
    ]
    failure = as_junit(agreement, 0.5)
    assert "20. shop.get" in failure
    assert "21. shop.get" not in failure
    assert "<failure" not in as_junit(found(), 0.25)


if __name__ == "__main__":
    GOLDEN.mkdir(exist_ok=True)
    for name, content in written().items():
        (GOLDEN / name).write_text(content, encoding="utf-8")
