"""`understudy apis`: which methods are emulated, and how far; also as a Markdown table."""

from collections import Counter
from collections.abc import Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from mockserver.commands import AsJson, print_json

if TYPE_CHECKING:
    from mockserver.googleapi import Api, Catalog
    from mockserver.model import JsonObject


_HEAD = (
    "# Emulated methods",
    "",
    "Made by `understudy apis --markdown`. An *emulated* method has the semantics of the live API.",
    "A *generic* one follows the conventions of its Discovery document: it lists, reads, creates,",
    "changes and deletes the [resources](snapshots.md#collections) that a snapshot holds. Where no",
    "convention applies it answers 501, with its id and a fixture that would serve it.",
)


def markdown_page(apis: "Sequence[Api]", catalog: "Catalog") -> Iterator[str]:
    """The page, line by line: counts for each API, then what is emulated of each.

    Yields:
        Lines without their ends.
    """
    found = {api.name: tuple(method_support(api, catalog)) for api in apis}
    shown = [api for api in apis if found[api.name]]
    yield from _HEAD
    yield ""
    yield from _counts(shown, found, catalog)
    for api in shown:
        yield from _method_rows(api, found[api.name])


def _counts(
    apis: "Sequence[Api]", found: "dict[str, tuple[MethodSupport, ...]]", catalog: "Catalog"
) -> Iterator[str]:
    yield "| API | Emulated | Generic | Documents |"
    yield "|---|--:|--:|---|"
    totals: Counter[Level] = Counter()
    for api in apis:
        counts = Counter(method.level for method in found[api.name])
        totals += counts
        names = ", ".join(f"{name} {version}" for name, version in documents_of(api))
        link = f"[{api.name}](#{api.name})"
        yield f"| {link} | {counts[Level.EMULATED]} | {counts[Level.GENERIC]} | {names} |"
    rest = generic_methods(apis, catalog)
    about = f"{rest.documents} documents: {rest.apis} further APIs, and further versions"
    yield f"| every other | 0 | {rest.methods} | {about} |"
    yield f"| **total** | {totals[Level.EMULATED]} | {totals[Level.GENERIC] + rest.methods} | |"


def _method_rows(api: "Api", found: "tuple[MethodSupport, ...]") -> Iterator[str]:
    about = (api.relies, "") if api.relies else ()
    yield from ("", f"## {api.name}", "", *about, "| Method | Version | Route |", "|---|---|---|")
    for method in found:
        if method.level is Level.EMULATED:
            yield f"| `{method.method_id}` | {method.version} | `{method.route}` |"


_A_METHOD = b'"httpMethod"'


_BY_DOCUMENTS = "by documents only"


class Level(StrEnum):
    """How far a method is supported."""

    EMULATED = "emulated"
    GENERIC = "generic"


class MethodSupport(NamedTuple):
    """One method of one API.

    Attributes:
        method_id: Its Discovery id.
        version: The document's version.
        level: `emulated`, or `generic`: answered by the conventions of its document.
        route: Verb, host and path.
        proof: How far it agrees with recordings of the live service.
    """

    method_id: str
    version: str
    level: Level
    route: str
    proof: str = _BY_DOCUMENTS


class GenericMethods(NamedTuple):
    """What the Discovery documents have beside the emulated APIs; all of it generic.

    Attributes:
        apis: How many further APIs there are.
        documents: How many documents they have, further versions of emulated ones included.
        methods: How many methods are in these.
    """

    apis: int
    documents: int
    methods: int


def method_support(api: "Api", catalog: "Catalog") -> Iterator[MethodSupport]:
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
            yield MethodSupport(method.id, method.version, level, route, _proof(method.id))
    for name in api.handlers:
        if name not in seen:
            yield MethodSupport(name, "", Level.EMULATED, _route_without_document(name))


def _proof(method_id: str) -> str:
    from mockserver.googleapi.facts import recorded_agreement

    measured = recorded_agreement().get(method_id)
    if measured is None:
        return _BY_DOCUMENTS
    exchanges, status, said = measured
    return f"agrees in {status} of {exchanges} recorded exchanges, fully in {said}"


def _route_without_document(method_id: str) -> str:
    """How a method is asked for that no document describes: a tool, or a request of MCP."""
    protocol, _, name = method_id.partition(".")
    if protocol == "mcp":
        return f"MCP {name.replace('.', '/')}"
    return f"POST /{protocol}/{name}"


def documents_of(api: "Api") -> tuple[tuple[str, str], ...]:
    """Name and version of an API's documents and supplements."""
    own = ((str(raw["name"]), str(raw["version"])) for raw in api.supplements)
    return tuple(dict.fromkeys((*api.documents, *own)))


def generic_methods(apis: "Sequence[Api]", catalog: "Catalog") -> GenericMethods:
    """What the documents have beside these APIs; counted, not parsed."""
    own = {document for api in apis for document in documents_of(api)}
    named = {name for name, _ in own}
    found = [
        (str(item["name"]), str(item["version"]))
        for item in catalog.listing()["items"]
        if (item["name"], item["version"]) not in own
    ]
    raw = (catalog.document(*document) or b"" for document in found)
    return GenericMethods(
        apis=len({name for name, _ in found} - named),
        documents=len(found),
        methods=sum(content.count(_A_METHOD) for content in raw),
    )


def apis(
    api: Annotated[
        str | None,
        typer.Argument(
            help="An API: one of those listed, or any from Discovery, such as calendar or drive:v3."
            " Without it, the emulated APIs are listed with their number of methods."
        ),
    ] = None,
    *,
    level: Annotated[
        Level | None, typer.Option(help="List only methods with this level of support.")
    ] = None,
    fixtures: Annotated[
        Path | None,
        typer.Option(help="A suite: the methods of the APIs that it declares are listed instead."),
    ] = None,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print all methods as a Markdown page.")
    ] = False,
    openapi: Annotated[
        bool,
        typer.Option(
            "--openapi",
            help="Print the OpenAPI 3.1 document of an API; with --fixtures, of an API that "
            "the suite declares.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """List the emulated APIs, or the methods of one API.

    An `emulated` method behaves like the live one; a `generic` method follows the conventions of
    its Discovery document. Each method tells in how many recorded exchanges with
    the live service its status agrees, and in how many all that the service said.

    Example: understudy apis directory --level emulated
    """
    if openapi:
        _print_openapi(fixtures, api)
        return
    if fixtures is not None:
        rows = _declared_methods(fixtures, api)
        if as_json:
            print_json([{"method_id": name, "route": route} for name, route in rows])
            return
        for line in (*_align_rows(rows, "<<"), f"{len(rows)} methods"):
            typer.echo(line)
        return
    from mockserver.apis import APIS
    from mockserver.googleapi import Catalog

    chosen = [one for one in APIS if api in {None, one.name}] or [_api_from_discovery(str(api))]
    catalog = Catalog(
        preferred=[document for one in (*APIS, *chosen) for document in one.documents],
        supplements=[document for one in APIS for document in one.supplements],
    )
    if as_json:
        print_json(_support_json(chosen, catalog, level, methods=api is not None))
        return
    if markdown:
        lines = markdown_page(chosen, catalog)
    else:
        lines = (_summary if api is None else _methods)(chosen, catalog, level)
    for line in lines:
        typer.echo(line)


def _support_json(
    apis: "Sequence[Api]", catalog: "Catalog", level: Level | None, *, methods: bool
) -> "list[JsonObject]":
    """Each API with its documents and how many methods are of which level; or each method."""
    listed: list[JsonObject] = []
    for api in apis:
        found = [one for one in method_support(api, catalog) if level in {None, one.level}]
        if methods:
            return [dict(one._asdict()) for one in found]
        counts = Counter(one.level.value for one in found)
        if found:
            documents = [f"{name}:{version}" for name, version in documents_of(api)]
            listed.append({"api": api.name, "documents": [*documents], "methods": {**counts}})
    return listed


def _declared_methods(suite: Path, name: str | None) -> list[tuple[str, str]]:
    """Id and route of each method of the APIs that a suite declares."""
    from mockserver.errors import MockServerError
    from mockserver.model import did_you_mean
    from mockserver.snapshots.resolver import suite_apis
    from mockserver.storage import Suite

    known = suite_apis(Suite(suite).folder, trusted=None).apis
    chosen = [each for each in known if name in {None, each.name}]
    if name is not None and not chosen:
        hint = did_you_mean(name, [each.name for each in known])
        raise MockServerError(f"{suite} declares no API {name!r}", hint=hint)
    return [
        (operation.id, f"{operation.verb} {host}{each.base_path}{operation.path}")
        for each in chosen
        for host in each.declaration.hosts[:1] or ("",)
        for operation in each.operations.values()
    ]


def _print_openapi(suite: Path | None, name: str | None) -> None:
    """Print the OpenAPI document of an API; of the only one that a suite declares without a name.

    Raises:
        MockServerError: There is none of that name, or the suite has several and none is named.
    """
    from mockserver.apis import APIS
    from mockserver.declared.files import read_declarations
    from mockserver.declared.openapi.export import openapi_of
    from mockserver.errors import MockServerError
    from mockserver.googleapi import openapi_of_api
    from mockserver.model import did_you_mean

    if suite is None and name is not None:
        found = next((one for one in APIS if one.name == name), None)
        print_json(openapi_of_api(found or _api_from_discovery(name)))
        return
    folder = suite or Path()
    files = {each.declaration.api: each for each in read_declarations(folder, trusted=True)}
    if name is None and len(files) == 1:
        name = next(iter(files))
    if name not in files:
        hint = did_you_mean(name or "", files) or f"it declares {', '.join(files) or 'none'}"
        raise MockServerError(f"{folder} declares no API {name or 'alone'!r}", hint=hint)
    print_json(openapi_of(files[name]))


def _api_from_discovery(name: str) -> "Api":
    """An API as the Discovery documents have it, `calendar` or `calendar:v3`.

    Raises:
        MockServerError: No document is of that name.
    """
    from mockserver.apis import APIS
    from mockserver.errors import MockServerError
    from mockserver.googleapi import Api, installed_documents
    from mockserver.model import did_you_mean

    folder = installed_documents()
    entries = folder.entries
    found = [each for each in entries if name in {each.name, f"{each.name}:{each.version}"}]
    if not found:
        known = {*(one.name for one in APIS), *(each.name for each in entries)}
        if ":" in name:
            known = {f"{each.name}:{each.version}" for each in entries}
        raise MockServerError(f"no API {name!r}", hint=did_you_mean(name, sorted(known)))
    ids = {method for each in found for method in folder.load(each.path).methods}
    return Api(
        name=name,
        documents=tuple((each.name, each.version) for each in found),
        handlers={key: one.handlers[key] for one in APIS for key in one.handlers if key in ids},
    )


def _methods(apis: "list[Api]", catalog: "Catalog", level: Level | None) -> Iterator[str]:
    for api in apis:
        found = [one for one in method_support(api, catalog) if level in {None, one.level}]
        # what is emulated comes first
        found.sort(key=lambda one: (one.level, one.method_id, one.version))
        yield from _align_rows(
            [(one.level, one.version, one.method_id, one.proof, one.route) for one in found],
            "<<<<<",
        )
        yield f"{len(found)} methods"
        if api.relies:
            yield api.relies


def _summary(apis: "list[Api]", catalog: "Catalog", level: Level | None) -> Iterator[str]:
    shown = [one for one in Level if level in {None, one}]
    totals = dict.fromkeys(shown, 0)
    rows: list[tuple[str, ...]] = [("API", *shown, "documents")]
    for api in apis:
        counts = dict.fromkeys(shown, 0)
        for method in method_support(api, catalog):
            if method.level in counts:
                counts[method.level] += 1
                totals[method.level] += 1
        if not any(counts.values()):
            continue
        names = ", ".join(f"{name} {version}" for name, version in documents_of(api))
        rows.append((api.name, *map(str, counts.values()), names))
    rows.append(("total", *map(str, totals.values()), ""))
    yield from _align_rows(rows, "<" + ">" * len(shown) + "<")


def _align_rows(rows: Sequence[Sequence[str]], sides: str) -> Iterator[str]:
    """Each line of a table; `sides` says for each column whether it is aligned left or right.

    Yields:
        The lines.
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]  # none of no rows
    for row in rows:
        cells = zip(row, sides, widths, strict=True)
        yield "  ".join(f"{text:{side}{width}}" for text, side, width in cells).rstrip()
