from importlib.machinery import ModuleSpec
from pathlib import Path

import orjson
import pytest

from mockserver.errors import FormatError, MockServerError
from mockserver.googleapi import catalog
from mockserver.googleapi.catalog import DocumentFolder, load_document


def write(folder: Path, file: str, **fields: object) -> Path:
    path = folder / file
    path.write_bytes(orjson.dumps(fields))
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    base, other = "https://a.googleapis.com/", "https://b.googleapis.com/"
    write(
        tmp_path, "a.v1.json", baseUrl=base, id="a:v1", rootUrl=base, title='The "A"', version="v1"
    )
    long = "x" * 10_000
    write(tmp_path, "a.v1.1.json", auth=long, baseUrl=base, id="a:v1.1", rootUrl=base)
    shared = "https://www.googleapis.com/b/v1"
    write(tmp_path, "b.v1.json", baseUrl=shared, id="b:v1", resources={}, rootUrl=other)
    write(tmp_path, "av1.json", baseUrl=base, id="a:v1", rootUrl=base)
    write(tmp_path, "old.av1.json", baseUrl=base, id="a:v1", rootUrl=base)
    write(tmp_path, "hostless.v1.json", id="hostless:v1")
    write(tmp_path, "index.json", items=[{"id": "a:v1"}])
    return tmp_path


def test_documents_are_known_by_file_and_id(folder: Path) -> None:
    found = [(each.name, each.version, each.host) for each in DocumentFolder(folder).entries]
    assert found == [
        ("a", "v1.1", "a.googleapis.com"),
        ("a", "v1", "a.googleapis.com"),
        ("b", "v1", "b.googleapis.com"),
    ]


def test_one_document_is_found_without_the_others(folder: Path) -> None:
    entry = DocumentFolder(folder).entry("b", "v1")
    assert entry is not None
    assert entry.host == "b.googleapis.com"
    assert DocumentFolder(folder).entry("b", "v2") is None


def test_a_document_is_read_as_it_is(folder: Path) -> None:
    assert DocumentFolder(folder).read("a", "v1") == (folder / "a.v1.json").read_bytes()


@pytest.mark.parametrize("name", ["../a", "a/../a", "nope", "", "a\0"], ids=repr)
def test_a_name_never_leaves_the_folder(folder: Path, name: str) -> None:
    inside = folder / "inside"
    inside.mkdir()
    assert DocumentFolder(inside).read(name, "v1") is None


def test_titles_are_read_when_asked_for(folder: Path) -> None:
    known = DocumentFolder(folder)
    titles = {entry.path.name: known.title(entry) for entry in known.entries}
    assert titles == {"a.v1.json": 'The "A"', "a.v1.1.json": "", "b.v1.json": ""}


def test_the_index_may_be_missing(folder: Path) -> None:
    assert DocumentFolder(folder).index() == {"items": [{"id": "a:v1"}]}
    (folder / "index.json").unlink()
    assert DocumentFolder(folder).index() == {}


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"name": 1}'], ids=str)
def test_what_is_no_document_is_named_with_its_place(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.v1.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match=r"a\.v1\.json: not a Discovery document"):
        load_document(path)


def test_the_installed_documents_are_found() -> None:
    entry = DocumentFolder().entry("admin", "directory_v1")
    assert entry is not None
    assert load_document(entry.path).methods["directory.orgunits.list"].http_method == "GET"


@pytest.mark.parametrize("spec", [None, ModuleSpec("googleapiclient", None)], ids=["none", "file"])
def test_a_missing_client_library_is_said_with_what_to_do(
    monkeypatch: pytest.MonkeyPatch, spec: ModuleSpec | None
) -> None:
    monkeypatch.setattr(catalog, "find_spec", lambda name: spec)
    with pytest.raises(MockServerError, match="pip install google-api-python-client"):
        _ = DocumentFolder().path
