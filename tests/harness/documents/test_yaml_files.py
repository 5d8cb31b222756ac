from pathlib import Path

import pytest

from harness.documents import Document, Findings, read_yaml
from tests.casefiles import put

BOMB = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "\n".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)
)


def read(folder: Path, text: str) -> Document:
    findings = Findings()
    document = read_yaml(put(folder / "x.yaml", text), findings)
    assert findings.problems == []
    assert document is not None
    return document


def test_every_part_knows_its_line(tmp_path: Path) -> None:
    document = read(tmp_path, "id: a\nexpect:\n  text:\n    contains:\n      - x\n      - y\n")
    assert document.where(("expect", "text", "contains", 1)).endswith("x.yaml:6")
    assert document.where(("expect", "nope")).endswith("x.yaml:2")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: 2026-11-20", {"a": "2026-11-20"}),
        ("a: 2026-11-20T10:15:00Z", {"a": "2026-11-20T10:15:00Z"}),
        ("a: [1, 1.5, true, null, x]", {"a": [1, 1.5, True, None, "x"]}),
        ("b: &b {x: 1}\na: {<<: *b, y: 2}", {"b": {"x": 1}, "a": {"x": 1, "y": 2}}),
        ("a: &a [1]\nb: *a", {"a": [1], "b": [1]}),
        ("b: &b {x: 1}\na: {<<: [*b, *b]}", {"b": {"x": 1}, "a": {"x": 1}}),
    ],
    ids=["date", "time", "scalars", "merge", "alias", "merge list"],
)
def test_yaml_means_what_the_same_json_means(tmp_path: Path, text: str, value: object) -> None:
    assert read(tmp_path, text).value == value


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("a: [", "x.yaml:2:1: not YAML"),
        ("a: 1\nb: : 2", "x.yaml:2:4: not YAML"),
        ("", "x.yaml:1: is empty"),
        ("a: 1\n---\nb: 2", "x.yaml:2:1: not YAML"),
        ("a: 1\nb: 2\na: 3", "x.yaml:3: the key 'a' stands there twice"),
        ("x: 1\n1: a", "x.yaml:2: YAML reads the key '1' as a number: put it in quotes"),
        ("a: !!binary aGk=", "x.yaml:1: !!binary is not a JSON value"),
        ("a: !!python/object/apply:os.getcwd []", "x.yaml:1: !!python/object/apply"),
        ("a: .nan", "x.yaml:1: .nan is no JSON number"),
        ("a: -.inf", "x.yaml:1: -.inf is no JSON number"),
        ("a: {<<: 3}", "x.yaml:1: << takes a mapping or a list of mappings"),
        ("a: &a [*a]", "x.yaml:1: nested more than 64 deep"),
        ("[" * 200_000 + "]" * 200_000, "x.yaml:1: nested more than 64 deep"),
        (BOMB, "x.yaml:1: aliases make more than 200000 values of it"),
        ("a: \x07", "x.yaml: not YAML: "),
    ],
    ids=lambda value: str(value)[:24],
)
def test_what_is_no_plain_yaml_is_told_with_its_line(tmp_path: Path, text: str, error: str) -> None:
    findings = Findings()
    assert read_yaml(put(tmp_path / "x.yaml", text), findings) is None
    (problem,) = findings.problems
    assert str(problem).replace(f"{tmp_path}/", "").startswith(error)


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    findings = Findings()
    assert read_yaml(tmp_path / "nope.yaml", findings) is None
    assert len(findings.problems) == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: !!bool maybe", "not YAML: this is no bool"),
        ("a: !!int ''", "not YAML: this is no int"),
        ("a: !!float x", "not YAML: this is no float"),
        ("? !!str [a]\n: b", "a key is not text"),
    ],
)
def test_a_tag_that_promises_what_the_text_does_not_keep_is_told(
    tmp_path: Path, text: str, said: str
) -> None:
    findings = Findings()
    path = tmp_path / "a.yaml"
    path.write_text(text, encoding="utf-8")
    assert read_yaml(path, findings) is None
    assert said in findings.problems[0].message
