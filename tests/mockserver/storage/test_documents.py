"""Files that may be JSON or YAML: their size, their text, and where values stand in them."""

from pathlib import Path

import pytest

from mockserver.errors import FormatError
from mockserver.storage import documents
from mockserver.storage.documents import document_text, places_in, pointer_of, read_document


@pytest.mark.parametrize("name", ["a.json", "a.yaml", "a.yml"])
def test_a_file_is_read_by_its_name(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(b'\xef\xbb\xbf{"a": [1, "\xc3\xa9"]}')
    assert document_text(path) == '{"a": [1, "é"]}'
    assert read_document(path) == {"a": [1, "é"]}
    path.write_text("a: 1\n", encoding="utf-8")
    if name == "a.json":
        with pytest.raises(FormatError, match="not JSON"):
            read_document(path)
    else:
        assert read_document(path) == {"a": 1}


@pytest.mark.parametrize(
    ("name", "hint"),
    [("a.json", "split it"), ("a.yaml", "as JSON it may have 32 MiB")],
)
def test_a_file_may_be_so_large_and_no_larger(
    name: str, hint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (documents.LARGEST_JSON, documents.LARGEST_YAML) == (32 << 20, 4 << 20)
    path = tmp_path / name
    kind = "LARGEST_JSON" if name == "a.json" else "LARGEST_YAML"
    path.write_text("[1]")
    monkeypatch.setattr(documents, kind, 3)
    assert document_text(path) == "[1]"
    monkeypatch.setattr(documents, kind, 2)
    with pytest.raises(FormatError, match="larger than 0 MiB") as refused:
        document_text(path)
    assert refused.value.hint == hint


def test_what_cannot_be_read_is_told(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="cannot be read: No such file"):
        document_text(tmp_path / "none.json")
    (tmp_path / "a.json").write_bytes(b'{"a": "\xff"}')
    with pytest.raises(FormatError, match="not UTF-8: invalid start byte at byte 7"):
        document_text(tmp_path / "a.json")
    with pytest.raises(FormatError, match="cannot be read: embedded null byte"):
        document_text(tmp_path / "a\0.json")


@pytest.mark.parametrize(
    ("name", "text", "wheres"),
    [
        ("a.json", '{"a/b":\n [1,\n 2]}', ["a.json:1#/a~1b", "a.json:3#/a~1b/1"]),
        ("a.yaml", "a/b:\n- 1\n- 2\n", ["a.yaml:2#/a~1b", "a.yaml:3#/a~1b/1"]),
        ("a.yaml", "a: [", ["a.yaml#/a~1b", "a.yaml#/a~1b/1"]),
    ],
)
def test_values_stand_in_lines(name: str, text: str, wheres: list[str]) -> None:
    assert places_in(Path(name), text, [("a/b",), ("a/b", 1)]) == wheres


def test_in_yaml_that_is_large_no_line_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "LARGEST_YAML", 4)
    assert places_in(Path("a.yaml"), "a: 1", [("a",)]) == ["a.yaml:1#/a"]
    assert places_in(Path("a.yaml"), "a: 12", [("a",)]) == ["a.yaml#/a"]


def test_a_place_is_a_pointer() -> None:
    assert (pointer_of(()), pointer_of(("~a/b", 0, "c"))) == ("", "/~0a~1b/0/c")
