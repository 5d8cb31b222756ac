"""`docs/emulated.md`: the table of methods, as `mockserver apis --markdown` prints it."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from mockserver.cli.support import Level, Supported, documents_of, others, supported

if TYPE_CHECKING:
    from mockserver.googleapi import Api, Catalog

_HEAD = (
    "# Emulated methods",
    "",
    "Made by `mockserver apis --markdown`. An *emulated* method has the semantics of the live API.",
    "A *generic* one follows the conventions of its Discovery document: it lists, reads, creates,",
    "changes and deletes the [resources](snapshots.md#collections) that a snapshot holds. Where no",
    "convention applies it answers 501, with its id and a snippet of fixture that would serve it.",
)


def page(apis: "Sequence[Api]", catalog: "Catalog") -> Iterator[str]:
    """The page, line by line: counts for each API, then what is emulated of each.

    Yields:
        Lines without their ends.
    """
    found = {api.name: tuple(supported(api, catalog)) for api in apis}
    shown = [api for api in apis if found[api.name]]
    yield from _HEAD
    yield ""
    yield from _counts(shown, found, catalog)
    for api in shown:
        yield from _methods(api, found[api.name])


def _counts(
    apis: "Sequence[Api]", found: dict[str, tuple[Supported, ...]], catalog: "Catalog"
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
    rest = others(apis, catalog)
    about = f"{rest.documents} of {rest.apis} further APIs and of further versions"
    yield f"| every other | 0 | {rest.methods} | {about} |"
    yield f"| **total** | {totals[Level.EMULATED]} | {totals[Level.GENERIC] + rest.methods} | |"


def _methods(api: "Api", found: tuple[Supported, ...]) -> Iterator[str]:
    yield from ("", f"## {api.name}", "", "| Method | Version | Route |", "|---|---|---|")
    for method in found:
        if method.level is Level.EMULATED:
            yield f"| `{method.method_id}` | {method.version} | `{method.route}` |"
