"""Which method of which API a request means."""

import re
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from mockserver.apis import discovery, generic, tools
from mockserver.apis.metadata import METADATA, METADATA_HOSTS, method_of
from mockserver.declared.catalog import NO_APIS, DeclaredApis, DeclaredRoute
from mockserver.googleapi import (
    UPLOAD_VERBS,
    Api,
    Call,
    Catalog,
    Collection,
    Conventions,
    Dialect,
    Handler,
    LeftToConventionsError,
    Match,
    Method,
    batch_of,
    download_path,
    upload_path,
)
from mockserver.googleapi.facts import is_proven
from mockserver.model import JsonObject
from mockserver.models.catalog import NO_MODELS, ModelRoute, Models
from mockserver.redaction.journal_redaction import redact_journal_path

DocumentName = tuple[str, str]
"""Name and version of a document."""

_Key = tuple[bytes, str, bytes]
"""`Host` header, verb and path, as sent."""

_REMEMBERED = 4096
_LONGEST_REMEMBERED = 512
"""Longer paths are routed anew each time, so that what is remembered stays small."""

_PLACEHOLDER = re.compile(r"\{\+?(\w+)\}")
_VERSION = re.compile(r"v\d")
_TOOLS = "tools"
RAN = "agent.result"
"""Method id of what came of a tool that ran inside the agent, until the tool's is known."""
BATCH = "batch"
"""Method id of a batch of calls in the journal."""

EVERY_HOST = "*"
"""Host of a document whose routes are on every host."""
_OF_ALL_APIS = frozenset({"", "upload", "download", "resumable", "batch", "$discovery"})
"""What paths of each API begin with, which are never raw."""
_REST = "/$discovery/rest"
_METADATA_VERBS = frozenset({"GET", "POST"})
"""A token may be asked for with a certificate, which is posted."""


@dataclass(frozen=True, slots=True, eq=False)
class Route:
    """What a verb and a path mean on a host; equal only to itself, so it can key a cache.

    Attributes:
        verb: The HTTP method.
        host: The API's host, or an empty string.
        path: The path below the host, as sent.
        journal_path: The path as the journal keeps it: with the host where it was sent in the
            path, and without secrets.
        method_id: The Discovery id, `tools.<name>`, or an empty string for an unknown route.
        method: The Discovery method, where there is one.
        captures: Path parameters, decoded.
        handler: What answers it; None where it is not emulated or not known.
        dialect: How its errors are said.
        public: Whether it asks for no credential.
        confidential: Whether its answers hold credentials, which no journal may.
        metadata: Whether the metadata server answers it.
        batch: Set where it is a batch: the API and version of its calls, or empty for those of
            the host.
        upload: Whether it uploads media.
        download: Whether its path asks for the media of the resource.
        long: Whether it is answered beside the event loop: a batch, a query over many rows.
        searched: The collections that it looks through, where it is long for their rows alone.
        unproven: Whether no recording of the live service shows how its method answers.
        scopes: OAuth scopes of which a token needs one.
        version: The version of the document, or an empty string.
        candidates: The hosts among which the path alone cannot choose.
        fields: What its answer has where the request asks for no fields; empty for all.
        by_conventions: Whether conventions answer it, or what its API leaves to them.
        declared: What it means in a declared API, or None.
        model: What it asks of a language model, or None.
        raw: Whether its handler is given the request as it is, by no document.
    """

    verb: str
    host: str
    path: str
    journal_path: str = ""
    method_id: str = ""
    method: Method | None = None
    captures: Mapping[str, str] = field(default_factory=dict)
    handler: Handler | None = None
    dialect: Dialect = "one_platform"
    public: bool = True
    scopes: tuple[str, ...] = ()
    version: str = ""
    candidates: tuple[str, ...] = ()
    confidential: bool = False
    metadata: bool = False
    batch: str | None = None
    upload: bool = False
    download: bool = False
    long: bool = False
    searched: tuple[str, ...] = ()
    unproven: bool = False
    fields: str = ""
    by_conventions: bool = False
    declared: DeclaredRoute | None = None
    model: ModelRoute | None = None
    raw: bool = False

    @property
    def is_service(self) -> bool:
        """Whether clients ask it before any API: for tokens, for documents."""
        return self.metadata or (self.handler is not None and (self.confidential or self.public))


class _KnownRoutes(OrderedDict[_Key, Route]):
    """Routes that were found before; another one is found and remembered."""

    def __init__(self, resolve: Callable[[str, str, str], Route]) -> None:
        super().__init__()
        self._resolve = resolve

    def __missing__(self, key: _Key) -> Route:
        host, verb, path = key
        text = path.decode("latin-1")
        route = self._resolve(host.decode("latin-1"), verb, text)
        route = replace(route, journal_path=redact_journal_path(text))
        if len(path) <= _LONGEST_REMEMBERED:
            if len(self) >= _REMEMBERED:
                self.popitem(last=False)
            self[key] = route
        return route


class Routes:
    """Finds routes, and remembers those that were asked for.

    Args:
        apis: The emulated APIs.
        catalog: The Discovery documents; made from the APIs when None.
        declared: The APIs that a suite declares.
        models: The models that it scripts.

    Attributes:
        known: The routes that were asked for lately, by `Host` header, verb and path, as sent; a
            key that is not there is looked up.
    """

    def __init__(
        self,
        apis: Sequence[Api],
        catalog: Catalog | None = None,
        declared: DeclaredApis = NO_APIS,
        models: Models = NO_MODELS,
    ) -> None:
        self._owners = _owners(apis)
        self.apis = tuple(apis)
        self.declared = declared
        self.models = models
        self.catalog = catalog or Catalog(
            preferred=[document for api in apis for document in api.documents],
            supplements=[document for api in apis for document in api.supplements],
            hosts=declared.hosts,
        )
        self._raw = {f"{api.name}.googleapis.com": api for api in apis if api.raw is not None}
        self.known = _KnownRoutes(self._resolve)

    def declare(self, declared: DeclaredApis, models: Models) -> None:
        """Route to these declared APIs and models in place of the ones before."""
        self.declared = declared
        self.models = models
        self.catalog.serve_hosts(declared.hosts)
        self.known.clear()

    def find(self, host: bytes, verb: str, path: bytes) -> Route:
        """The route of a request; one without `handler` and `method` is unknown.

        Args:
            host: The `Host` header as sent.
            verb: Upper case.
            path: As sent, without session prefix and query.
        """
        return self.known[host, verb, path]

    def route_of_method(self, method_id: str, params: JsonObject) -> Route:
        """The route of a method id, as one method asks for another; its path is filled in."""
        own = self.declared.find_operation(method_id)
        if own is not None:
            route = _declared_route(DeclaredRoute(*own), own[1].verb, "", own[1].path)
            return replace(route, journal_path=own[1].path)
        method = self.catalog.method(method_id)
        if method is None:
            return Route("POST", "", "", method_id=method_id)
        path = "/" + _PLACEHOLDER.sub(lambda hit: str(params.get(hit[1], "")), method.path)
        route = self._route_of_match(
            Match(method, {}), method.document.host, method.http_method, path
        )
        return replace(route, journal_path=path)

    def route_of_call(self, method: Method, path: str) -> Route:
        """The route of a method that is called by other means than HTTP, at a path of theirs."""
        route = self._route_of_match(Match(method, {}), method.document.host, "GRPC", path)
        return replace(route, journal_path=path)

    def _resolve(self, host: str, verb: str, path: str) -> Route:
        asked = self.models.find(host, verb, path)
        if asked is not None:
            return Route(verb, asked.host, path, method_id=asked.operation.id, model=asked)
        first, _, rest = path[1:].partition("/")
        for asked_host, below in ((host, path), (first, "/" + rest)):
            known = self.catalog.canonical(asked_host)
            if known:
                return self._route_on_host(known, verb, below, asked_host)
        if first == _TOOLS:
            return _tool_route(verb, path, rest)
        if (path == "/" or first == METADATA) and verb in _METADATA_VERBS:
            return _metadata_route(host, verb, path)
        return self._route_anywhere(verb, path)

    def _route_on_host(self, host: str, verb: str, path: str, asked_host: str) -> Route:
        declared = self.declared.on_host(host, verb, path)
        if declared is not None:
            return _declared_route(declared, verb, host, path)
        if path == _REST:
            return _document_route(self.catalog.service_host(asked_host), verb, path)
        batch = batch_of(path)
        if batch is not None and verb == "POST":
            return Route(verb, host, path, method_id=BATCH, batch=batch, long=True)
        match = self._match_upload(host, verb, path)
        if match is not None:
            return replace(self._route_of_match(match, host, verb, path), upload=True)
        below = download_path(path)
        match = self.catalog.match(host, verb, below) if below else None
        if match is not None and match.method.media_download:
            return replace(self._route_of_match(match, host, verb, path), download=True)
        match = self.catalog.match(host, verb, path)
        if match is None:
            return self._raw_route(host, verb, path)
        return self._route_of_match(match, host, verb, path)

    def _raw_route(self, host: str, verb: str, path: str) -> Route:
        """The route of a path that no document has."""
        api = self._raw.get(host)
        if api is None or path.split("/")[1] in {*_OF_ALL_APIS, api.name}:
            return Route(verb, host, path)
        return Route(
            verb, host, path, method_id=f"{api.name}.raw", handler=api.raw, public=False, raw=True
        )

    def _match_upload(self, host: str, verb: str, path: str) -> Match | None:
        """The method whose media a request uploads, or goes on to upload."""
        below = upload_path(path)
        if not below:
            return None
        found = (self.catalog.match(host, meant, below) for meant in UPLOAD_VERBS.get(verb, ()))
        return next((match for match in found if match and match.method.media_upload), None)

    def _route_anywhere(self, verb: str, path: str) -> Route:
        if verb == "POST" and batch_of(path) is not None:
            return Route(verb, "", path, method_id=BATCH, batch=batch_of(path), long=True)
        found = self.catalog.match_anywhere(verb, path)
        declared = self.declared.anywhere(verb, path)
        if declared and not found:
            return _declared_route(declared[0], verb, "", path)
        if isinstance(found, Match):
            host = found.method.document.host
            return self._route_of_match(found, "" if host == EVERY_HOST else host, verb, path)
        return Route(verb, "", path, candidates=tuple(found))

    def _route_of_match(self, match: Match, host: str, verb: str, path: str) -> Route:
        method = match.method
        api = self._find_owner(method)
        return Route(
            verb,
            host,
            path,
            method_id=method.id,
            method=method,
            captures=match.captures,
            handler=self._find_handler(api, method),
            dialect=api.dialect if api else usual_dialect(method),
            public=api is not None and api.is_public and not method.scopes,
            scopes=method.scopes,
            version=method.version,
            confidential=api is not None and api.is_confidential,
            long=api is not None and method.id.startswith(api.long),
            searched=api.searched.get(method.id, ()) if api else (),
            unproven=not is_proven(method.id),
            fields=api.shown.get(method.id, "") if api else "",
            by_conventions=api is None or api.beside_conventions or method.id not in api.handlers,
        )

    def _find_handler(self, api: Api | None, method: Method) -> Handler | None:
        """What answers a method: its API, or conventions where no API has its resource."""
        if api is not None and method.id in api.handlers:
            own = api.handlers[method.id]
            if not api.beside_conventions:
                return own
            return partial(_answer_first, own, generic.MethodConventions(method))
        # a resource is emulated or generic, never half of each
        emulated = self._is_emulated(method) and generic.plan_of(method).is_standard
        return None if emulated else generic.generic_handler(method)

    def collections_of(self, route: Route) -> tuple[Collection, ...]:
        """The collections of the API whose handler answers a route."""
        api = self._find_owner(route.method) if route.method is not None else None
        return api.collections if api is not None and route.method_id in api.handlers else ()

    def _is_emulated(self, method: Method) -> bool:
        owners = self._owners.get((method.api, method.version), ())
        whole = (owner for owner in owners if not owner.beside_conventions)
        resource = _resource_of(method.id)
        return any(resource == _resource_of(each) for owner in whole for each in owner.handlers)

    def _find_owner(self, method: Method) -> Api | None:
        owners = self._owners.get((method.api, method.version), ())
        return next((api for api in owners if method.id in api.handlers), None) or (
            owners[0] if owners else None
        )


def usual_dialect(method: Method) -> Dialect:
    """How an API that is not emulated says errors: the older ones have their name in their paths.

    Source: Discovery documents; not verified against the live APIs.
    """
    return "one_platform" if _VERSION.match(method.path) else "legacy"


def _declared_route(declared: DeclaredRoute, verb: str, host: str, path: str) -> Route:
    operation = declared.operation
    method_id = operation.id if operation is not None else ""
    return Route(verb, host, path, method_id=method_id, declared=declared)


def _resource_of(method_id: str) -> str:
    return method_id.rpartition(".")[0]


def _answer_first(own: Handler, usual: Conventions, call: Call) -> JsonObject | None:
    """Answer with an API's own handler, or by conventions where it leaves a call to them."""
    call.conventions = usual
    try:
        return own(call)
    except LeftToConventionsError:
        return usual(call)


def _owners(apis: Sequence[Api]) -> Mapping[DocumentName, tuple[Api, ...]]:
    owners: dict[DocumentName, tuple[Api, ...]] = {}
    for api in apis:
        own = [(str(raw["name"]), str(raw["version"])) for raw in api.supplements]
        for document in (*api.documents, *own):
            owners[document] = (*owners.get(document, ()), api)
    return owners


def _tool_route(verb: str, path: str, name: str) -> Route:
    if not name and verb == "GET":
        return Route(verb, "", path, method_id="tools.list", handler=_list_tools, public=False)
    if name == "openapi.json" and verb == "GET":
        method_id = "tools.openapi"
        return Route(verb, "", path, method_id=method_id, handler=_openapi_of_tools, public=False)
    if name and "/" not in name and verb == "POST":
        return Route(
            verb, "", path, method_id=f"tools.{name}", handler=tools.call_tool, public=False
        )
    if name and "/" not in name and verb == "PUT":
        return Route(verb, "", path, method_id=RAN, handler=tools.call_tool, public=False)
    return Route(verb, "", path)


def _metadata_route(host: str, verb: str, path: str) -> Route:
    name = host.lower().partition(":")[0]
    named = METADATA_HOSTS[0] if name in METADATA_HOSTS or path != "/" else ""
    return Route(
        verb,
        named,
        path,
        method_id=method_of(path) if named else "",
        confidential=True,
        metadata=True,
    )


def _list_tools(call: Call) -> JsonObject:
    return tools.list_tools(call.world, str(call.params.get("format", "")))


def _openapi_of_tools(call: Call) -> JsonObject:
    return tools.list_tools(call.world, "openapi")


def _document_route(host: str, verb: str, path: str) -> Route:
    if verb != "GET":
        return Route(verb, host, path)
    return Route(
        verb, host, path, method_id="discovery.apis.getRest", handler=_rest_document_of(host)
    )


def _rest_document_of(host: str) -> Callable[[Call], JsonObject | None]:
    def answer(call: Call) -> JsonObject | None:
        return discovery.rest_document(host, str(call.params.get("version", "")), call.base_url)

    return answer
