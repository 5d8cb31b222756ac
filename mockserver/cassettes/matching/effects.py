"""What a request reads, and what it changes: paths of resources, by rules that a table holds."""

import re
from typing import NamedTuple

from mockserver.cassettes.matching.canonical import MODEL_HOST, Canonical

Scope = tuple[str, ...]
"""A host and the segments of a path, without a custom verb."""


class Effect(NamedTuple):
    """What a request does.

    Attributes:
        reads: Whether it only reads.
        scopes: The resources that it is about.
    """

    reads: bool
    scopes: tuple[Scope, ...]


READING_METHODS = frozenset({"GET", "HEAD", "OPTIONS", "TRACE", "PROPFIND", "REPORT", "QUERY"})
READING_POSTS: tuple[tuple[str, str], ...] = (
    (
        r":(?:batchGet|resolve|list|search|query|lookup|fetch|read|count|aggregate|compute|check|"
        r"test|get|analyze|annotate|classify|detect|predict|rawPredict|explain|generateContent|"
        r"streamGenerateContent|embedContent|run(?:Aggregation)?Query)\w*$",
        "custom verbs of Google APIs that ask",
    ),
    (r"/entries:tail$", "Cloud Logging"),
    (
        r"/token$|/oauth2?/(?:v\d+/)?token$|:generate(?:Access|Id)Token$|:sign(?:Blob|Jwt)$",
        "tokens",
    ),
    (r"/tokeninfo$|/introspect$|/userinfo$", "what a token is"),
    (r"/_(?:m?search|count|mget|sql|field_caps|validate/query)(?:/[^/]+)?$", "Elasticsearch"),
    (r"/api/v1/(?:query|query_range|labels|series|query_exemplars|format_query)$", "Prometheus"),
    (r"/ds/query$|/loki/api/v1/query(?:_range)?$", "Grafana"),
    (
        r"/(?:chat/)?completions$|/embeddings$|/moderations$|^/v1/messages(?:/count_tokens)?$",
        "models",
    ),
    (r"/(?:search|query|lookup|freebusy|freeBusy)$", "plain searches"),
    (
        r"/[\w.]+\.\w+/(?:Batch)?(?:Get|List|Search|Query|Lookup|Fetch|Count|Check|Test)\w*$",
        "gRPC",
    ),
)
"""POSTs that only read: what the end of the path looks like, and whose it is."""

_POST_READS = re.compile("|".join(f"(?:{pattern})" for pattern, _ in READING_POSTS))
_GRPC = re.compile(r"^[\w.]+\.[A-Z]\w*$")
_UPLOADS = ("resumable", "upload")
_GRAPHQL_WRITE = re.compile(r"(?:^|[}\s])(?:mutation|subscription)\b")


def effect_of(request: Canonical) -> Effect:
    """What a request does, as far as its method, path and body tell."""
    if request.host.startswith(MODEL_HOST):
        return Effect(reads=True, scopes=((request.host, *request.path),))
    inner = _batch_requests(request)
    if inner:
        effects = [_line_effect(request.host, method, path) for method, path in inner]
        reads = all(effect.reads for effect in effects)
        scopes = [scope for effect in effects if effect.reads == reads for scope in effect.scopes]
        return Effect(reads, tuple(dict.fromkeys(scopes)))
    found = _line_effect(request.host, request.method, request.path)
    return found._replace(reads=True) if _is_graphql_query(request) else found


def is_related(write: Scope, other: Scope) -> bool:
    """Whether a write at one scope may change what is read at another.

    It may change the resource itself, all below it, and the collection that it is in.

    >>> is_related(("h", "users", "ann"), ("h", "users")), is_related(("h", "a"), ("h", "b"))
    (True, False)
    """
    return other[: len(write)] == write or other == write[:-1]


def _line_effect(host: str, method: str, path: tuple[str, ...]) -> Effect:
    reads = method in READING_METHODS
    if method == "POST":
        reads = _POST_READS.search("/" + "/".join(path)) is not None
    return Effect(reads, ((host, *_resource(path)),))


def _resource(path: tuple[str, ...]) -> list[str]:
    segments = list(path[:-1] if len(path) > 1 and not path[-1] else path)
    while segments[0] in _UPLOADS and len(segments) > 1:
        del segments[0]
    if len(segments) == 2 and _GRPC.match(segments[0]):
        return segments[:1]
    segments[-1] = _without_verb(segments[-1])
    return segments


def _without_verb(segment: str) -> str:
    name, colon, verb = segment.rpartition(":")
    return name if colon and name and verb.isalpha() else segment


def _batch_requests(request: Canonical) -> list[tuple[str, tuple[str, ...]]]:
    """The requests of a batch: method and path of each."""
    kind, content = request.body
    if kind != "multipart":
        return []
    bodies = [body for _, body in content]
    return [(body[1][0], tuple(body[1][1])) for body in bodies if body[0] == "http"]


def _is_graphql_query(request: Canonical) -> bool:
    kind, content = request.body
    if request.method != "POST" or kind != "json" or not isinstance(content, dict):
        return False
    query = content.get("query")
    if not isinstance(query, str) or not request.path[-1].lower().endswith("graphql"):
        return False
    return not _GRAPHQL_WRITE.search(query)
