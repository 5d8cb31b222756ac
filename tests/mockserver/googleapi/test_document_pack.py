"""The pack of the build against the documents that it is made of."""

import json
from pathlib import Path

import orjson
import pytest

from mockserver.googleapi import Catalog, DocumentFolder
from mockserver.googleapi.catalog import PackedDocuments, installed_documents
from mockserver.googleapi.document_pack import DocumentPack, Origin, write_pack

ORIGIN = Origin("google-api-python-client", "2.1", "Apache 2.0")
NAMES = ["admin.directory_v1", "calendar.v3", "chromepolicy.v1", "logging.v2", "oauth2.v2",
         "drive.v3", "pubsub.v1"]  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("documents")
    for name in NAMES:
        (made / f"{name}.json").symlink_to(DocumentFolder().path / f"{name}.json")
    (made / "index.json").write_text('{"items": [{"id": "drive:v3"}]}', encoding="utf-8")
    (made / "other.v1.json").write_text('{"id": "another:v1"}', encoding="utf-8")
    return made


@pytest.fixture(scope="module")
def pack(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pack") / "documents.pack"
    assert write_pack(path, ORIGIN, folder) == len(NAMES)
    return path


def test_a_pack_holds_what_the_folder_holds(folder: Path, pack: Path) -> None:
    given, packed = DocumentFolder(folder), PackedDocuments(pack)
    assert [each[:3] for each in packed.entries] == [each[:3] for each in given.entries]
    assert packed.index() == given.index()
    for theirs, ours in zip(given.entries, packed.entries, strict=True):
        name, version = ours.name, ours.version
        assert packed.title(ours) == given.title(theirs)
        assert packed.entry(name, version) == ours
        document = packed.read(name, version)
        assert document is not None
        assert orjson.loads(document) == orjson.loads(theirs.path.read_bytes())
        assert packed.load(ours.path) is packed.load(ours.path)
        assert packed.load(ours.path).methods.keys() == given.load(theirs.path).methods.keys()


def test_what_a_pack_does_not_hold_is_none(pack: Path) -> None:
    packed = PackedDocuments(pack)
    assert packed.entry("drive", "v9") is None
    assert packed.read("drive", "v9") is None


def test_a_pack_names_whose_documents_it_holds_and_is_small(folder: Path, pack: Path) -> None:
    assert DocumentPack(pack).origin == ORIGIN
    assert b'"licence":"Apache 2.0"' in pack.read_bytes().splitlines()[1]
    assert pack.stat().st_size * 4 < sum(path.stat().st_size for path in folder.iterdir())


def test_a_file_of_another_format_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "documents.pack"
    path.write_text(json.dumps({}), encoding="utf-8")
    with pytest.raises(ValueError, match="no pack of Discovery documents of this version"):
        _ = DocumentPack(path).documents


def test_a_wheel_reads_its_pack_and_a_checkout_the_client(
    pack: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not isinstance(installed_documents(), PackedDocuments)
    monkeypatch.setattr("mockserver.googleapi.catalog.FILE", str(pack))
    installed_documents.cache_clear()
    try:
        assert isinstance(installed_documents(), PackedDocuments)
        catalog = Catalog(preferred=[("drive", "v3")], supplements=[])
        found = catalog.match("www.googleapis.com", "GET", "/drive/v3/files")
        assert found is not None
        assert found.method.id == "drive.files.list"
    finally:
        installed_documents.cache_clear()
