"""Discovery documents packed into one file, which the build makes out of Google's client package.

The file is a line that names the format, a line of JSON that says where the documents are from and
where each begins, and the documents, each compressed by itself so that one is read without the
others. This module imports nothing but the standard library, for the build imports it.
"""

import json
import zlib
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

FILE = "discovery-documents.pack"
"""The file's name, in the folder of this module."""

_FORMAT = b"understudy discovery pack 1\n"
_LEVEL = 9


class PackedDocument(NamedTuple):
    """Where a document is in a pack, and what is known of it without reading it.

    Attributes:
        name: `admin`.
        version: `directory_v1`.
        host: Where its methods are.
        title: What it calls itself.
        start: Where it begins, behind the head of the file.
        size: How many bytes it takes there.
    """

    name: str
    version: str
    host: str
    title: str
    start: int
    size: int


class Origin(NamedTuple):
    """Whose documents a pack holds.

    Attributes:
        package: The package that they were taken from.
        version: Its version.
        licence: Its licence, as SPDX names it.
    """

    package: str
    version: str
    licence: str


_SHARED_HOST = "www.googleapis.com"


def write_pack(target: Path, origin: Origin, folder: Path) -> int:
    """Write a pack.

    Args:
        target: The file to write.
        origin: Whose documents they are.
        folder: Where they are: `<name>.<version>.json` each, and the package's own `index.json`.

    Returns:
        How many documents are in it.
    """
    entries: list[PackedDocument] = []
    pieces: list[bytes] = []
    start = 0
    for path in sorted(folder.glob("*.*.json")):
        document = json.loads(path.read_bytes())
        name, _, version = path.stem.partition(".")
        if document.get("id") != f"{name}:{version}":
            continue
        piece = zlib.compress(_compact(document), _LEVEL)
        title = str(document.get("title", ""))
        entries.append(PackedDocument(name, version, _host(document), title, start, len(piece)))
        pieces.append(piece)
        start += len(piece)
    index = folder / "index.json"
    items = json.loads(index.read_bytes()) if index.is_file() else {}
    head = {"origin": origin._asdict(), "documents": entries, "index": items}
    target.write_bytes(b"".join([_FORMAT, _compact(head), b"\n", *pieces]))
    return len(entries)


def _host(document: Mapping[str, Any]) -> str:
    """Where its methods are; on the shared host `rootUrl` may name another one than `baseUrl`."""
    hosts = [urlsplit(document.get(key, "")).netloc.lower() for key in ("baseUrl", "rootUrl")]
    return str(hosts[hosts[0] in {"", _SHARED_HOST}])


def _compact(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


class DocumentPack:
    """A pack, read as late as possible."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @cached_property
    def _head(self) -> tuple[Mapping[str, Any], int]:
        """What the head says, and where the documents begin."""
        with self.path.open("rb") as file:
            if file.readline() != _FORMAT:
                raise ValueError(f"{self.path} is no pack of Discovery documents of this version")
            return json.loads(file.readline()), file.tell()

    @property
    def origin(self) -> Origin:
        """Whose documents it holds."""
        return Origin(**self._head[0]["origin"])

    @cached_property
    def documents(self) -> Mapping[tuple[str, str], PackedDocument]:
        """What it holds, by name and version, in order."""
        found = (PackedDocument(*each) for each in self._head[0]["documents"])
        return {(each.name, each.version): each for each in found}

    @property
    def index(self) -> Mapping[str, Any]:
        """The package's own directory of some of the documents; empty without one."""
        found: Mapping[str, Any] = self._head[0]["index"]
        return found

    def read(self, document: PackedDocument) -> bytes:
        """One document as JSON, without its white space."""
        with self.path.open("rb") as file:
            file.seek(self._head[1] + document.start)
            return zlib.decompress(file.read(document.size))
