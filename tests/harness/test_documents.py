from pathlib import Path

import pytest

from harness.documents import Document, Findings, read_json, read_text, read_yaml
from harness.errors import CaseProblem
from tests.casefiles import put


@pytest.mark.parametrize(
    ("document", "pointer", "where"),
    [
        (Document("a.json", {}), (), "a.json#"),
        (Document("a.json", {}), ("a/b", 3, "~"), "a.json#/a~1b/3/~0"),
        (Document("a.yaml", {}, {(): 1, ("a",): 4}), ("a", "b", 2), "a.yaml:4"),
        (Document("a.yaml", {}, {(): 1, ("a",): 4}), ("b",), "a.yaml:1"),
    ],
)
def test_a_place_is_a_line_or_a_pointer(
    document: Document, pointer: tuple[str | int, ...], where: str
) -> None:
    assert document.where(pointer) == where


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (b'{"a": }', "x.json:1:7: not JSON: Expecting value"),
        (b'{"a":\n 1,}', "x.json:2:4: not JSON"),
        (b"", "x.json:1:1: not JSON: Expecting value"),
        (b"\xff\xfe", "x.json: is not UTF-8: byte 0 cannot be read"),
        (b'{"a": NaN}', "x.json: not JSON: NaN is no JSON number"),
        (b'{"a": 1, "b": 2, "a": 3}', "x.json: the same key twice in one object: 'a'"),
        (b"[" * 100_000 + b"]" * 100_000, "x.json: not JSON that can be read: nested too deeply"),
    ],
    ids=["value", "line", "empty", "bytes", "NaN", "double key", "deep"],
)
def test_a_broken_json_file_is_told_with_its_place(
    tmp_path: Path, content: bytes, error: str
) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(content)
    findings = Findings()
    assert read_json(path, findings) is None
    (problem,) = findings.problems
    assert str(problem).replace(f"{tmp_path}/", "").startswith(error)


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path: Path) -> None:
    path = put(tmp_path / "x.json", '\ufeff{"a": 1}')
    document = read_json(path, Findings())
    assert document is not None
    assert document.value == {"a": 1}


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    findings = Findings()
    assert read_text(tmp_path / "nope", findings) is None
    assert "cannot be read: No such file" in str(findings.problems[0])


def test_a_file_that_is_too_large_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.documents.LARGEST_FILE", 1 << 20)
    path = put(tmp_path / "x.json", " " * ((1 << 20) + 1))
    findings = Findings()
    assert read_json(path, findings) is None
    assert str(findings.problems[0]).endswith("is larger than 1 MiB")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (r'{"a": "\ud800"}', "half of a character"),
        ("[" * 65 + "]" * 65, "nested more than 64 deep"),
        ("[" * 60_000, "nested too deeply"),
        ("[" + "9" * 5_000 + "]", "4300 digits"),
    ],
    ids=["half a character", "nested", "nested without end", "number"],
)
def test_json_that_cannot_be_written_again_is_told(tmp_path: Path, text: str, said: str) -> None:
    findings = Findings()
    assert read_json(put(tmp_path / "a.json", text), findings) is None
    assert said in findings.problems[0].message


def test_a_character_in_two_halves_is_one(tmp_path: Path) -> None:
    document = read_json(put(tmp_path / "a.json", r'["\ud83d\ude00"]'), Findings())
    assert document is not None
    assert document.value == ["😀"]


def test_a_key_that_is_there_very_often_is_told_once(tmp_path: Path) -> None:
    findings = Findings()
    text = "{" + ",".join(['"k": 1'] * 50_000 + [f'"k{n}": 1' for n in range(50_000)]) + "}"
    assert read_json(put(tmp_path / "a.json", text), findings) is None
    assert findings.problems[0].message == "the same key twice in one object: 'k'"


def test_errors_and_warnings_are_kept_in_the_order_they_were_found() -> None:
    findings = Findings()
    findings.warning("a.yaml:1", "odd")
    findings.error("a.yaml:2", "wrong", "write it right")
    assert findings.problems == [
        CaseProblem("a.yaml:1", "odd", level="warning"),
        CaseProblem("a.yaml:2", "wrong", "write it right"),
    ]


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


@pytest.mark.slow
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
