from pathlib import Path

import pytest

from harness.documents import Document, Findings, documents, read_json, read_text
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
    monkeypatch.setattr(documents, "LARGEST_FILE", 1 << 20)
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
