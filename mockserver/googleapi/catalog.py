"""Every method of every Google API, from the documents of Google's client library."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, cached_property, lru_cache
from importlib.util import find_spec
from io import FileIO
from pathlib import Path
from typing import NamedTuple

import orjson
from typing_extensions import override

from mockserver.errors import FormatError, MockServerError
from mockserver.googleapi.discovery import Document, Method, parse_document
from mockserver.googleapi.document_pack import FILE, DocumentPack
from mockserver.googleapi.routing import Match, Router
from mockserver.model import JsonObject

_HEAD = 8_192
_SHARED_HOST = "www.googleapis.com"
_BASE_URL = re.compile(rb'"baseUrl":\s*"https?://([^/"]+)')
_ROOT_URL = re.compile(rb'"rootUrl":\s*"https?://([^/"]+)')
_TITLE = re.compile(rb'"title":\s*("(?:[^"\\]|\\.)*"),\s*"version"')
_ID = re.compile(rb'"id":\s*"([^"]*)"')
_LONGEST_NAME = 255
_NAME = re.compile(r"[A-Za-z0-9_.-]+")


class CatalogEntry(NamedTuple):
    """A document file, known without having been parsed.

    Attributes:
        name: `admin`.
        version: `directory_v1`.
        host: Where its methods are.
        folder: The folder of the file; the pack for what is packed.
    """

    name: str
    version: str
    host: str
    folder: Path

    @property
    def path(self) -> Path:
        """The file; a name below the pack for what is packed."""
        return self.folder / f"{self.name}.{self.version}.json"


class DocumentFolder:
    """Discovery documents, one `<name>.<version>.json` each; read as late as possible.

    Args:
        folder: The folder, or None for the one of the installed client library.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._given = folder
        self._loaded: dict[Path, Document] = {}
        self._heads: dict[str, CatalogEntry | None] = {}

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
                "Google's Discovery documents are not here: they are packed into the wheels of"
                " understudy, and a checkout reads them from Google's client",
                hint="pip install google-api-python-client",
            )
        return Path(spec.submodule_search_locations[0], "discovery_cache", "documents")

    @cached_property
    def entries(self) -> tuple[CatalogEntry, ...]:
        """Every document, by file name; only the heads of the files are read."""
        return tuple(self.entries_of(""))

    def entries_of(self, version: str) -> Iterator[CatalogEntry]:
        """The documents whose versions end so, by file name; of no others are the heads read.

        Yields:
            Their entries.
        """
        for file in self._files:
            entry = self._entry(file) if file.endswith(f"{version}.json") else None
            if entry and entry.version.endswith(version):
                yield entry

    @cached_property
    def _files(self) -> list[str]:
        # by their names alone: with paths this takes twice as long, and the first request waits
        names = (each.name for each in os.scandir(self.path))
        return sorted(each for each in names if each.endswith(".json") and each.count(".") > 1)

    def entry(self, name: str, version: str) -> CatalogEntry | None:
        """One document's entry, without looking at the others."""
        path = self._file(name, version)
        return self._entry(path.name) if path else None

    def _entry(self, file: str) -> CatalogEntry | None:
        if file not in self._heads:
            self._heads[file] = _entry(self.path, file)
        return self._heads[file]

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
            self._loaded[path] = self._parse(path)
        return self._loaded[path]

    def _parse(self, path: Path) -> Document:
        return load_document(path)

    def title(self, entry: CatalogEntry) -> str:
        """A document's title; an empty string where it has none."""
        found = _TITLE.search(entry.path.read_bytes())
        return str(orjson.loads(found[1])) if found else ""

    def index(self) -> JsonObject:
        """The client library's own directory of some of its documents; empty without one."""
        path = self.path / "index.json"
        return dict(orjson.loads(path.read_bytes())) if path.is_file() else {}


class PackedDocuments(DocumentFolder):
    """The documents of a pack."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._pack = DocumentPack(path)

    @override
    def entries_of(self, version: str) -> Iterator[CatalogEntry]:
        for name, own in self._pack.documents:
            if own.endswith(version):
                yield self._entry_of(name, own)

    def _entry_of(self, name: str, version: str) -> CatalogEntry:
        return CatalogEntry(name, version, self._pack.documents[name, version].host, self.path)

    @override
    def entry(self, name: str, version: str) -> CatalogEntry | None:
        known = (name, version) in self._pack.documents
        return self._entry_of(name, version) if known else None

    @override
    def read(self, name: str, version: str) -> bytes | None:
        found = self._pack.documents.get((name, version))
        return self._pack.read(found) if found else None

    @override
    def _parse(self, path: Path) -> Document:
        name, _, version = path.stem.partition(".")
        return _read_document(self.read(name, version) or b"", str(path))

    @override
    def title(self, entry: CatalogEntry) -> str:
        return self._pack.documents[entry.name, entry.version].title

    @override
    def index(self) -> JsonObject:
        return dict(self._pack.index)


@cache
def installed_documents() -> DocumentFolder:
    """The documents of this installation, which do not change while a process runs.

    Those that were packed by the build; in a checkout those of the installed client library.
    """
    packed = Path(__file__).parent / FILE
    return PackedDocuments(packed) if packed.is_file() else DocumentFolder()


def load_document(path: Path) -> Document:
    """Read and parse one document.

    Raises:
        FormatError: Not a Discovery document.
    """
    return _read_document(path.read_bytes(), str(path))


def _read_document(content: bytes, where: str) -> Document:
    try:
        return parse_document(orjson.loads(content))
    except (orjson.JSONDecodeError, KeyError, TypeError, AttributeError) as error:
        raise FormatError(where, f"not a Discovery document: {error!r}") from error


def _entry(folder: Path, name_of_file: str) -> CatalogEntry | None:
    name, _, version = name_of_file.removesuffix(".json").partition(".")
    ident = f"{name}:{version}".encode()
    with FileIO(f"{folder}/{name_of_file}") as file:
        text = file.read(_HEAD)
        if not _names(text, ident):
            text += file.read(_HEAD)  # some heads are long
        host = _BASE_URL.search(text)
        if not host or host[1].decode() == _SHARED_HOST or not _names(text, ident):
            # some keys are in another order, and on the shared host `rootUrl` may name another host
            # than `baseUrl`
            text += file.read()
            # a pattern alone takes ten times as long to look through a large document
            host = _ROOT_URL.search(text, text.find(b'"rootUrl":'))
    if not host or not _names(text, ident):
        return None
    return CatalogEntry(name, version, host[1].decode().lower(), folder)


def _names(text: bytes, ident: bytes) -> bool:
    """Whether a document says that it is the one of an id; a pattern for each would take longer."""
    quoted = b'"%b"' % ident
    return quoted in text and (b'"id": ' + quoted in text or ident in _ID.findall(text))


_DOMAIN = ".googleapis.com"
_MTLS = ".mtls.googleapis.com"
_REGIONAL = re.compile(r"^([a-z0-9-]+)\.[a-z0-9-]+\.rep\.googleapis\.com$")
_LOCATIONAL = re.compile(r"^(?:[a-z]+-[a-z]+\d+|us|eu|global)-([a-z0-9-]+\.googleapis\.com)$")
_VARIANT = re.compile(r"^(?:batch-)?([a-z0-9-]+?)(?:-preprod)?(\.googleapis\.com)$")
_SHARED = "www.googleapis.com"
_FIRST_SEGMENTS = {"sql": "sqladmin", "apps": "licensing"}
"""First segments of paths that are not called as the host of their API."""
_SERVICE_NAMES = {"calendar": "calendar-json"}
"""Services whose own host is not called as their document is."""

_PATH_VERSION = re.compile(r"/(v\d[a-z0-9.]*|alpha|beta)(?=[/:]|$)")
_UNROUTED = frozenset({("compute", "preview")})
"""Documents that claim the paths of another version of the same API."""


class Catalog:
    """The Discovery documents of the installed client library, and supplements.

    Args:
        preferred: `(name, version)` of the documents that path-only addressing looks at, and that
            win where several have one path.
        supplements: Documents of routes that no Discovery document has, in Discovery's form.
        folder: Where the documents are; None for those of the installed client library.
        hosts: Hosts that are served beside those of documents.
    """

    def __init__(
        self,
        *,
        preferred: Sequence[tuple[str, str]],
        supplements: Sequence[JsonObject],
        folder: Path | None = None,
        hosts: frozenset[str] = frozenset(),
    ) -> None:
        self._hosts = hosts
        self._folder = DocumentFolder(folder) if folder else installed_documents()
        self._preferred = tuple(dict.fromkeys(preferred))
        self._supplements = supplements
        self._routers: dict[str, Router] = {}
        self._versions: dict[tuple[str, str], Router] = {}
        self._known = lru_cache(1024)(self._canonical)
        self._found = lru_cache(4096)(self._find)

    def serve_hosts(self, hosts: frozenset[str]) -> None:
        """Serve these hosts beside those of documents, in place of the ones before."""
        self._hosts = hosts
        self.__dict__.pop("_own_hosts", None)
        self._known.cache_clear()

    def is_host(self, host: str) -> bool:
        """Whether some document is served from a host, as `canonical` understands it."""
        return bool(self._known(host))

    def canonical(self, host: str) -> str:
        """A host as the documents name it, or an empty string for one that none has.

        Port and upper case are dropped; `x.mtls.googleapis.com` and regional hosts mean
        `x.googleapis.com`. The own host of a service whose document is on the shared host, as
        `calendar-json.googleapis.com`, means the shared one.
        """
        return self._known(host)

    def service_host(self, host: str) -> str:
        """The host at which a service's documents are, though its methods may be at the shared one.

        It is `canonical` for all others.
        """
        name = host.lower().partition(":")[0].rstrip(".")
        return name if name in self._on_shared_host else self._known(host)

    def own_hosts(self) -> frozenset[str]:
        """The hosts of the preferred documents and of the supplements."""
        return self._own_hosts

    def router(self, host: str) -> Router | None:
        """The routes of a host: all versions of all its documents, supplements included."""
        name = self._known(host)
        if not name:
            return None
        router = self._routers.get(name)
        if router is None:
            router = self._routers[name] = Router(self._methods_of(name))
        return router

    def match(self, host: str, http_method: str, raw_path: str) -> Match | None:
        """Find a method on a host; only documents of the path's version are read where that does.

        Large APIs have documents of several versions, and reading all of them takes a while.
        """
        name = self._known(host)
        moved = self._moved_to(raw_path) if name == _SHARED else ""
        found = self._match_at(moved, http_method, raw_path) if moved else None
        return found or self._match_at(name, http_method, raw_path)

    def _match_at(self, name: str, http_method: str, raw_path: str) -> Match | None:
        """Find a method on a host that documents name."""
        version = _PATH_VERSION.search(raw_path)
        if name and version and name not in self._routers:
            router = self._router_of_version(name, version[1])
            match = router.match(http_method, raw_path)
            if match is not None:
                return match
        whole = self.router(name)
        return whole.match(http_method, raw_path) if whole else None

    def _moved_to(self, raw_path: str) -> str:
        """The own host of an API that moved to one; the shared host serves its paths on.

        Such paths begin with the name of the API; not all that do have moved (`oauth2`). Source:
        documentation of Cloud Storage, BigQuery, Gmail and the Admin SDK, whose examples name
        either host; recordings of older clients.
        """
        segment = raw_path.split("/", 2)[1] if raw_path.startswith("/") else ""
        return self._known(_FIRST_SEGMENTS.get(segment, segment) + _DOMAIN)

    def match_anywhere(self, http_method: str, raw_path: str) -> Match | tuple[str, ...]:
        """Find a method by path alone, among the preferred documents and the supplements.

        Returns:
            The match, or the hosts that would answer when there are several; none when nothing
            matches.
        """
        matches = self._everywhere.matches(http_method, raw_path)
        hosts = tuple(dict.fromkeys(match.method.document.host for match in matches))
        return matches[0] if len(hosts) == 1 else hosts

    def methods_anywhere(self, raw_path: str) -> tuple[str, ...]:
        """The HTTP methods that a path answers to by path-only addressing."""
        return self._everywhere.methods_at(raw_path)

    def method(self, method_id: str, version: str = "") -> Method | None:
        """A method by its Discovery id; of the preferred version when none is given."""
        return self._found(method_id, version)

    def methods(self, host: str = "") -> Iterator[Method]:
        """The methods of the preferred documents and of the supplements, in that order.

        Args:
            host: Only those of this host, for which no other document is read; all where empty.

        Yields:
            Each method once.
        """
        for document in self._own_documents(host):
            yield from document.methods.values()

    def methods_on(self, host: str) -> tuple[Method, ...]:
        """The methods of a host, as the documents name it: all versions of all its documents."""
        return tuple(self._methods_of(host))

    def document(self, name: str, version: str) -> bytes | None:
        """A Discovery document as JSON, or None when there is none of that name and version."""
        return self._folder.read(name, version)

    def listing(self) -> JsonObject:
        """All documents as the Discovery service lists them (`discovery#directoryList`)."""
        return self._directory_list

    @cached_property
    def _directory_list(self) -> JsonObject:
        known = {item["id"]: item for item in self._folder.index().get("items", ())}
        items = []
        for entry in self._folder.entries:
            ident = f"{entry.name}:{entry.version}"
            items.append(
                known.get(ident)
                or {
                    "kind": "discovery#directoryItem",
                    "id": ident,
                    "name": entry.name,
                    "version": entry.version,
                    "title": self._folder.title(entry),
                    "discoveryRestUrl": (
                        f"https://{entry.host}/$discovery/rest?version={entry.version}"
                    ),
                    "preferred": False,
                }
            )
        return {"kind": "discovery#directoryList", "discoveryVersion": "v1", "items": items}

    @cached_property
    def _extra(self) -> tuple[Document, ...]:
        return tuple(parse_document(raw) for raw in self._supplements)

    @cached_property
    def _own_entries(self) -> Mapping[Path, CatalogEntry]:
        entries = (self._folder.entry(*document) for document in self._preferred)
        return {entry.path: entry for entry in entries if entry}

    @cached_property
    def _own_hosts(self) -> frozenset[str]:
        hosts = {entry.host for entry in self._own_entries.values()}
        return frozenset(hosts | {document.host for document in self._extra} | self._hosts)

    @cached_property
    def _all_hosts(self) -> frozenset[str]:
        return frozenset(entry.host for entry in self._folder.entries)

    @cached_property
    def _on_shared_host(self) -> frozenset[str]:
        names = {entry.name for entry in self._folder.entries if entry.host == _SHARED}
        return frozenset(f"{_SERVICE_NAMES.get(name, name)}{_DOMAIN}".lower() for name in names)

    @cached_property
    def _everywhere(self) -> Router:
        extra = [method for document in self._extra for method in document.methods.values()]
        return Router([*extra, *self.methods()])

    def _canonical(self, host: str) -> str:
        name = host.lower().partition(":")[0].rstrip(".")
        if name in self._hosts or name in self._own_hosts:
            return name
        if not name.endswith(_DOMAIN):
            return ""
        if name.endswith(_MTLS):
            return self._known(name.removesuffix(_MTLS) + _DOMAIN)
        if name in self._all_hosts:
            return name
        if name in self._on_shared_host:
            return _SHARED
        regional = _REGIONAL.sub(rf"\1{_DOMAIN}", _LOCATIONAL.sub(r"\1", name))
        meant = (regional, _VARIANT.sub(r"\1\2", regional))
        return next((each for each in meant if each in self._all_hosts), "")

    def _find(self, method_id: str, version: str) -> Method | None:
        for document in self._candidates(method_id):
            if version in {"", document.version} and method_id in document.methods:
                return document.methods[method_id]
        return None

    def _router_of_version(self, host: str, version: str) -> Router:
        key = (host, version)
        if key not in self._versions:
            self._versions[key] = Router(self._methods_of(host, version))
        return self._versions[key]

    def _methods_of(self, host: str, version: str = "") -> Iterator[Method]:
        # a supplement goes before the document whose route it completes
        for document in self._extra:
            if document.host == host:
                yield from document.methods.values()
        entries = [each for each in self._folder.entries_of(version) if each.host == host]
        entries.sort(key=lambda entry: entry.path not in self._own_entries)
        for entry in entries:
            if (entry.name, entry.version) not in _UNROUTED:
                yield from self._folder.load(entry.path).methods.values()

    def _own_documents(self, host: str = "") -> Iterator[Document]:
        for path, entry in self._own_entries.items():
            if host in {"", entry.host}:
                yield self._folder.load(path)
        yield from (each for each in self._extra if host in {"", each.host})

    def _candidates(self, method_id: str) -> Iterator[Document]:
        yield from self._own_documents()
        api = method_id.partition(".")[0]
        for entry in self._folder.entries:
            if entry.name == api:
                yield self._folder.load(entry.path)
