"""`mockserver apis`: what is emulated."""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

if TYPE_CHECKING:
    from mockserver.googleapi import Api, Catalog


class Level(StrEnum):
    """How far a method is supported."""

    EMULATED = "emulated"
    KNOWN = "known"


class Supported(NamedTuple):
    """One method of one API.

    Attributes:
        method_id: Its Discovery id.
        version: The document's version.
        level: `emulated`, or `known`: answered with 501 and the method's id.
        route: Verb, host and path.
    """

    method_id: str
    version: str
    level: Level
    route: str


def apis(
    api: Annotated[
        str | None, typer.Argument(help="One API by name; without it, all with counts.")
    ] = None,
    *,
    level: Annotated[
        Level | None, typer.Option(help="Only methods of this level of support.")
    ] = None,
) -> None:
    """List the APIs, or the methods of one, by level of support.

    `emulated` methods have real semantics; `known` ones answer 501 with their id.

    Example: mockserver apis directory --level emulated
    """
    from mockserver.apis import APIS
    from mockserver.errors import MockServerError
    from mockserver.googleapi import Catalog
    from mockserver.model import did_you_mean

    chosen = [one for one in APIS if api in {None, one.name}]
    if not chosen:
        raise MockServerError(
            f"no API {api!r}", hint=did_you_mean(str(api), [one.name for one in APIS])
        )
    catalog = Catalog(
        preferred=[document for one in APIS for document in one.documents],
        supplements=[document for one in APIS for document in one.supplements],
    )
    write = _summary if api is None else _methods
    for line in write(chosen, catalog, level):
        typer.echo(line)


def supported(api: "Api", catalog: "Catalog") -> Iterator[Supported]:
    """The methods of an API's documents and supplements, and its tools.

    Yields:
        Each method once.
    """
    own = {(str(raw["name"]), str(raw["version"])) for raw in api.supplements}
    documents = own | set(api.documents)
    seen = set()
    for method in catalog.methods():
        if (method.api, method.version) in documents:
            seen.add(method.id)
            level = Level.EMULATED if method.id in api.handlers else Level.KNOWN
            route = f"{method.http_method} {method.document.host}/{method.path}"
            yield Supported(method.id, method.version, level, route)
    for name in api.handlers:
        if name not in seen:
            yield Supported(name, "", Level.EMULATED, f"POST /{name.replace('.', '/', 1)}")


def _methods(apis: "list[Api]", catalog: "Catalog", level: Level | None) -> Iterator[str]:
    for api in apis:
        found = [one for one in supported(api, catalog) if level in {None, one.level}]
        # what is emulated comes first
        found.sort(key=lambda one: (one.level, one.method_id, one.version))
        yield from _aligned(
            [(one.level, one.version, one.method_id, one.route) for one in found], "<<<<"
        )
        yield f"{len(found)} methods"


def _summary(apis: "list[Api]", catalog: "Catalog", level: Level | None) -> Iterator[str]:
    shown = [one for one in Level if level in {None, one}]
    totals = dict.fromkeys(shown, 0)
    rows: list[tuple[str, ...]] = [("API", *shown, "documents")]
    for api in apis:
        counts = dict.fromkeys(shown, 0)
        for method in supported(api, catalog):
            if method.level in counts:
                counts[method.level] += 1
                totals[method.level] += 1
        rows.append((api.name, *map(str, counts.values()), ", ".join(_documents(api))))
    rows.append(("total", *map(str, totals.values()), ""))
    yield from _aligned(rows, "<" + ">" * len(shown) + "<")


def _documents(api: "Api") -> Iterator[str]:
    own = ((raw["name"], raw["version"]) for raw in api.supplements)
    for name, version in dict.fromkeys((*api.documents, *own)):
        yield f"{name} {version}"


def _aligned(rows: Sequence[Sequence[str]], sides: str) -> Iterator[str]:
    """Each line of a table; `sides` says for each column whether it is aligned left or right.

    Yields:
        The lines.
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = zip(row, sides, widths, strict=True)
        yield "  ".join(f"{text:{side}{width}}" for text, side, width in cells).rstrip()
