"""How far each method of each API is supported."""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from mockserver.googleapi import Api, Catalog

_A_METHOD = b'"httpMethod"'


class Level(StrEnum):
    """How far a method is supported."""

    EMULATED = "emulated"
    GENERIC = "generic"


class Supported(NamedTuple):
    """One method of one API.

    Attributes:
        method_id: Its Discovery id.
        version: The document's version.
        level: `emulated`, or `generic`: answered by the conventions of its document.
        route: Verb, host and path.
    """

    method_id: str
    version: str
    level: Level
    route: str


class Others(NamedTuple):
    """What the Discovery documents have beside the emulated APIs; all of it generic.

    Attributes:
        apis: How many further APIs there are.
        documents: How many documents they have, further versions of emulated ones included.
        methods: How many methods are in these.
    """

    apis: int
    documents: int
    methods: int


def supported(api: "Api", catalog: "Catalog") -> Iterator[Supported]:
    """The methods of an API's documents and supplements, and its tools.

    Yields:
        Each method once.
    """
    documents = set(documents_of(api))
    seen = set()
    for method in catalog.methods():
        if (method.api, method.version) in documents:
            seen.add(method.id)
            level = Level.EMULATED if method.id in api.handlers else Level.GENERIC
            route = f"{method.http_method} {method.document.host}/{method.path}"
            yield Supported(method.id, method.version, level, route)
    for name in api.handlers:
        if name not in seen:
            yield Supported(name, "", Level.EMULATED, f"POST /{name.replace('.', '/', 1)}")


def documents_of(api: "Api") -> tuple[tuple[str, str], ...]:
    """Name and version of an API's documents and supplements."""
    own = ((str(raw["name"]), str(raw["version"])) for raw in api.supplements)
    return tuple(dict.fromkeys((*api.documents, *own)))


def others(apis: "Sequence[Api]", catalog: "Catalog") -> Others:
    """What the documents have beside these APIs; counted, not parsed."""
    own = {document for api in apis for document in documents_of(api)}
    named = {name for name, _ in own}
    found = [
        (str(item["name"]), str(item["version"]))
        for item in catalog.listing()["items"]
        if (item["name"], item["version"]) not in own
    ]
    raw = (catalog.document(*document) or b"" for document in found)
    return Others(
        apis=len({name for name, _ in found} - named),
        documents=len(found),
        methods=sum(content.count(_A_METHOD) for content in raw),
    )
