from pathlib import Path
from typing import Annotated, Any

import pytest
from pydantic import Field

from harness.cases.validation import validate_part
from harness.documents import Document, Findings, read_yaml
from harness.model import Frozen


class _Leaf(Frozen):
    name: str
    kind: str = Field(default="", alias="type")


class _Root(Frozen):
    leaf: _Leaf | None = None
    leaves: tuple[_Leaf, ...] = ()
    named: dict[str, _Leaf] = {}
    some: Annotated[tuple[Annotated[_Leaf, Field()], ...], Field(max_length=2)] | None = None
    count: int = 0
    several: Annotated[tuple[str, ...] | None, Field(min_length=2)] = None


class _Free(Frozen):
    free: Annotated[tuple[dict[str, Any], ...], Field()] = ()
    yes_no: bool | float | str | None = None


@pytest.mark.parametrize(
    ("value", "pointer", "nearest"),
    [
        ({"lef": 1}, "lef", "leaf"),
        ({"leaf": {"name": "a", "nam": 1}}, "leaf/nam", "name"),
        ({"leaf": {"name": "a", "typ": 1}}, "leaf/typ", "type"),
        ({"leaves": [{"name": "a", "nme": 1}]}, "leaves/0/nme", "name"),
        ({"named": {"k": {"name": "a", "nme": 1}}}, "named/k/nme", "name"),
        ({"some": [{"name": "a", "nme": 1}]}, "some/0/nme", "name"),
    ],
)
def test_an_unknown_key_is_told_with_the_nearest(value: object, pointer: str, nearest: str) -> None:
    key = pointer.split("/")[-1]
    hint = f"unknown key {key!r} (did you mean {nearest!r}?)"
    assert said(value) == [f"x.json#/{pointer}: {hint}"]


@pytest.mark.parametrize(
    ("value", "error"),
    [
        ({"leaf": {}}, "x.json#/leaf: 'name' is missing"),
        ({"leaf": 3}, "x.json#/leaf: expected an object, found 3"),
        ([], "x.json#: expected an object, found []"),
        (
            {"leaf": {"name": ["x" * 90]}},
            "x.json#/leaf/name: expected a text, found ",
        ),
    ],
)
def test_each_place_that_does_not_fit_is_told(value: object, error: str) -> None:
    (found,) = said(value)
    assert found.startswith(error)
    assert len(found) < 120


def said(value: object) -> list[str]:
    findings = Findings()
    assert validate_part(_Root, Document("x.json", value), (), findings) is None
    return [str(problem) for problem in findings.problems]


def test_a_part_of_a_document_may_be_validated() -> None:
    document = Document("x.json", {"cases": [{"count": 3}]})
    found = validate_part(_Root, document, ("cases", 0), Findings())
    assert found is not None
    assert found.count == 3


def test_messages_name_the_key_when_the_place_is_a_line() -> None:
    findings = Findings()
    document = Document("x.yaml", {"leaf": {"name": 3}}, {(): 1, ("leaf",): 2})
    assert validate_part(_Root, document, (), findings) is None
    assert str(findings.problems[0]) == (
        'x.yaml:2: leaf.name: expected a text, found 3 (put it in quotes: "3")'
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("leaf: {name: yes}", 'found yes, which YAML reads as true (put it in quotes: "yes")'),
        ("leaf: {name: true}", 'found true, which is a truth value (put it in quotes: "true")'),
        ("leaf: {name: 1.10}", 'found 1.10, which YAML reads as 1.1 (put it in quotes: "1.10")'),
        ("leaf: {name: 16}", 'found 16, which is a number (put it in quotes: "16")'),
        ("leaf: {name: ~}", 'found ~, which YAML reads as nothing (put it in quotes: "~")'),
        ("leaf: {name: }", "expected a text, found nothing"),
        ("count: three", "count: expected a whole number, found 'three'"),
        ("some: [yes]", "some.0: expected an object, found True"),
        ("leaves: 3", "leaves: expected a list, found 3"),
        ("several: [a]", "several: needs at least 2, found ['a']"),
        ("several: []", "several: must not be empty"),
        ("several: [1]", "several.0: expected a text, found 1, which is a number"),
    ],
)
def test_what_yaml_makes_of_a_word_is_told(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "a.yaml").write_text(text, encoding="utf-8")
    findings = Findings()
    document = read_yaml(tmp_path / "a.yaml", findings)
    assert document is not None
    assert validate_part(_Root, document, (), findings) is None
    assert said in str(findings.problems[0])
    assert len(findings.problems) == 1


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("yes", True), ("off", True), ("010", True), ("12:30", True), ("1_000", True),
        ("true", False), ("False", False), ("10", False), ("+10", False), ("1.50", False),
        ("null", False), ("text", False),
    ],
)  # fmt: skip
def test_where_anything_may_stand_only_what_surprises_is_told(
    tmp_path: Path, value: str, *, told: bool
) -> None:
    (tmp_path / "a.yaml").write_text(f"free: [{{at: [{value}]}}]\nyes_no: {value}\n", "utf-8")
    findings = Findings()
    document = read_yaml(tmp_path / "a.yaml", findings)
    assert document is not None
    assert validate_part(_Free, document, (), findings) is not None
    assert [item.message[:9] for item in findings.problems] == ["free.0.at"] * told
