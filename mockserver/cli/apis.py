"""`mockserver apis`: what is emulated."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from mockserver.cli.support import Level, documents_of, supported

if TYPE_CHECKING:
    from mockserver.googleapi import Api, Catalog


def apis(
    api: Annotated[
        str | None,
        typer.Argument(
            help="One API: of those listed, or any of Discovery such as calendar or drive:v3;"
            " without it, those with emulated methods are listed with counts."
        ),
    ] = None,
    *,
    level: Annotated[
        Level | None, typer.Option(help="Only methods of this level of support.")
    ] = None,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="The whole table of methods, as a page of the docs.")
    ] = False,
) -> None:
    """List the APIs, or the methods of one, by level of support.

    `emulated` methods have real semantics; `generic` ones follow the conventions of their document.

    Example: mockserver apis directory --level emulated
    """
    from mockserver.apis import APIS
    from mockserver.googleapi import Catalog

    chosen = [one for one in APIS if api in {None, one.name}] or [_documented(str(api))]
    catalog = Catalog(
        preferred=[document for one in (*APIS, *chosen) for document in one.documents],
        supplements=[document for one in APIS for document in one.supplements],
    )
    if markdown:
        from mockserver.cli.emulated import page

        lines = page(chosen, catalog)
    else:
        lines = (_summary if api is None else _methods)(chosen, catalog, level)
    for line in lines:
        typer.echo(line)


def _documented(name: str) -> "Api":
    """An API as the Discovery documents have it, `calendar` or `calendar:v3`.

    Raises:
        MockServerError: No document is of that name.
    """
    from mockserver.apis import APIS
    from mockserver.errors import MockServerError
    from mockserver.googleapi import Api, installed_documents, load_document
    from mockserver.model import did_you_mean

    entries = installed_documents().entries
    found = [each for each in entries if name in {each.name, f"{each.name}:{each.version}"}]
    if not found:
        known = {*(one.name for one in APIS), *(each.name for each in entries)}
        if ":" in name:
            known = {f"{each.name}:{each.version}" for each in entries}
        raise MockServerError(f"no API {name!r}", hint=did_you_mean(name, sorted(known)))
    ids = {method for each in found for method in load_document(each.path).methods}
    return Api(
        name=name,
        documents=tuple((each.name, each.version) for each in found),
        handlers={key: one.handlers[key] for one in APIS for key in one.handlers if key in ids},
    )


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
        if not any(counts.values()):
            continue
        names = ", ".join(f"{name} {version}" for name, version in documents_of(api))
        rows.append((api.name, *map(str, counts.values()), names))
    rows.append(("total", *map(str, totals.values()), ""))
    yield from _aligned(rows, "<" + ">" * len(shown) + "<")


def _aligned(rows: Sequence[Sequence[str]], sides: str) -> Iterator[str]:
    """Each line of a table; `sides` says for each column whether it is aligned left or right.

    Yields:
        The lines.
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = zip(row, sides, widths, strict=True)
        yield "  ".join(f"{text:{side}{width}}" for text, side, width in cells).rstrip()
