"""The folder of Discovery documents that the Google client library carries."""

import re
from collections.abc import Iterator
from functools import cache, cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import orjson

from mockserver.errors import FormatError, MockServerError
from mockserver.googleapi.discovery import Document, parse_document
from mockserver.model import JsonObject

_HEAD = 8_192
_SHARED_HOST = "www.googleapis.com"
_BASE_URL = re.compile(rb'"baseUrl":\s*"https?://([^/"]+)')
_ROOT_URL = re.compile(rb'"rootUrl":\s*"https?://([^/"]+)')
_TITLE = re.compile(rb'"title":\s*("(?:[^"\\]|\\.)*"),\s*"version"')
_LONGEST_NAME = 255
_NAME = re.compile(r"[A-Za-z0-9_.-]+")


class Entry(NamedTuple):
    """A document file, known without having been parsed.

    Attributes:
        name: `admin`.
        version: `directory_v1`.
        host: Where its methods are.
        path: The file.
    """

    name: str
    version: str
    host: str
    path: Path


class DocumentFolder:
    """Discovery documents, one `<name>.<version>.json` each; read as late as possible.

    Args:
        folder: The folder, or None for the one of the installed client library.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._given = folder
        self._loaded: dict[Path, Document] = {}

    @cached_property
    def path(self) -> Path:
        """The folder.

        Raises:
            MockServerError: The client library is not installed.
        """
        if self._given:
            return self._given
        # found, not imported: importing it costs more than everything this server does at start
        spec = find_spec("googleapiclient")
        if spec is None or not spec.submodule_search_locations:
            raise MockServerError(
                "the Discovery documents are not installed",
                hint="pip install google-api-python-client",
            )
        return Path(spec.submodule_search_locations[0], "discovery_cache", "documents")

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        """Every document, by file name; only the heads of the files are read."""
        return tuple(self._entries())

    def _entries(self) -> Iterator[Entry]:
        for path in sorted(self.path.glob("*.*.json")):
            entry = _entry(path)
            if entry:
                yield entry

    def entry(self, name: str, version: str) -> Entry | None:
        """One document's entry, without looking at the others."""
        path = self._file(name, version)
        return _entry(path) if path else None

    def read(self, name: str, version: str) -> bytes | None:
        """One document as it is, or None when there is none of that name and version."""
        path = self._file(name, version)
        return path.read_bytes() if path else None

    def _file(self, name: str, version: str) -> Path | None:
        file = f"{name}.{version}.json"
        path = self.path / file
        known = len(file) <= _LONGEST_NAME and _NAME.fullmatch(file)
        return path if known and path.is_file() else None

    def load(self, path: Path) -> Document:
        """A document that is parsed once, however often it is asked for.

        Raises:
            FormatError: Not a Discovery document.
        """
        if path not in self._loaded:
            self._loaded[path] = load_document(path)
        return self._loaded[path]

    def title(self, entry: Entry) -> str:
        """A document's title; an empty string where it has none."""
        found = _TITLE.search(entry.path.read_bytes())
        return str(orjson.loads(found[1])) if found else ""

    def index(self) -> JsonObject:
        """The client library's own directory of some of its documents; empty without one."""
        path = self.path / "index.json"
        return dict(orjson.loads(path.read_bytes())) if path.is_file() else {}


@cache
def installed_documents() -> DocumentFolder:
    """The folder of the installed client library, which does not change while a process runs."""
    return DocumentFolder()


def load_document(path: Path) -> Document:
    """Read and parse one document.

    Raises:
        FormatError: Not a Discovery document.
    """
    try:
        return parse_document(orjson.loads(path.read_bytes()))
    except (orjson.JSONDecodeError, KeyError, TypeError, AttributeError) as error:
        raise FormatError(str(path), f"not a Discovery document: {error!r}") from error


def _entry(path: Path) -> Entry | None:
    name, _, version = path.stem.partition(".")
    ident = re.compile(rb'"id":\s*"%s"' % re.escape(f"{name}:{version}").encode())
    with path.open("rb") as file:
        text = file.read(_HEAD)
        host = _BASE_URL.search(text)
        if not host or host[1].decode() == _SHARED_HOST or not ident.search(text):
            # some heads are long, some keys are in another order, and on the shared host
            # `rootUrl` may name another host than `baseUrl`
            text += file.read()
            host = _ROOT_URL.search(text)
    if not host or not ident.search(text):
        return None
    return Entry(name, version, host[1].decode().lower(), path)
