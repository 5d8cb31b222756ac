"""The licences of what is installed beside this project: `python -m tests.licences` lists them.

Read from the metadata of each package: its licence expression, else its classifiers, else its
field. Nothing that would bind the users of this project is among them.
"""

import re
import sys
from collections.abc import Iterator
from importlib.metadata import PackageMetadata, PackageNotFoundError, metadata, requires

PERMISSIVE = re.compile(
    r"\b(MIT|Apache|BSD|0BSD|ISC|PSF|PSFL|Python Software Foundation|Zlib|CC0|CNRI-Python"
    r"|Unlicense|Public[- ]Domain|matplotlib|Dual License)", re.IGNORECASE,
)  # fmt: skip
WEAK = re.compile(r"\b(MPL|Mozilla Public License|LGPL)", re.IGNORECASE)
"""Binds who changes these packages themselves; we use them as they are."""

STRONG = re.compile(r"(?<!L)\b(A?GPL|SSPL|BUSL|Affero|Commons Clause|Proprietary)", re.IGNORECASE)

NOT_IN_METADATA = {"cel-python": "Apache-2.0"}
"""Packages whose metadata is silent, with the licence that their source has."""

_NAME = re.compile(r"[A-Za-z0-9._-]+")
_EXTRAS = re.compile(r"[A-Za-z0-9._-]+\s*\[([^\]]+)\]")
_CONDITION = re.compile(r"extra\s*==\s*['\"]([^'\"]+)")
_LICENCE = "License :: "


def normal(name: str) -> str:
    """A package's name as registries compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def installed_with(project: str, extra: str) -> dict[str, PackageMetadata]:
    """Everything that a project needs with an extra, and that is installed, by name."""
    found: dict[str, PackageMetadata] = {}
    seen: set[tuple[str, tuple[str, ...]]] = set()
    waiting: list[tuple[str, tuple[str, ...]]] = [(project, (extra,))]
    while waiting:
        name, extras = waiting.pop()
        if (normal(name), extras) in seen:
            continue
        seen.add((normal(name), extras))
        try:
            found[normal(name)] = metadata(name)
        except PackageNotFoundError:
            continue  # needed on other machines alone
        waiting += _needs(name, extras)
    del found[project]
    return dict(sorted(found.items()))


def _needs(name: str, extras: tuple[str, ...]) -> Iterator[tuple[str, tuple[str, ...]]]:
    for line in requires(name) or []:
        condition, required = _CONDITION.search(line), _NAME.match(line)
        if required and (condition is None or condition[1] in extras):
            inner = _EXTRAS.match(line)
            yield required[0], tuple(inner[1].replace(" ", "").split(",")) if inner else ()


def licence_of(name: str, about: PackageMetadata) -> str:
    """What a package says of its licence; an empty string when it says nothing."""
    classifiers = [
        each.rpartition(" :: ")[2]
        for each in about.get_all("Classifier") or []
        if each.startswith(_LICENCE)
    ]
    said = _field(about, "License-Expression") or ", ".join(classifiers)
    return said or _field(about, "License") or NOT_IN_METADATA.get(name, "")


def _field(about: PackageMetadata, name: str) -> str:
    """The first line of a field, or an empty string."""
    return "".join(about.get_all(name) or []).strip().partition("\n")[0]


def kind_of(licence: str) -> str:
    """`permissive`, `weak copyleft`, `strong copyleft` or `unknown`.

    >>> [kind_of(each) for each in ("MIT", "LGPL-3.0-only", "GPL-3.0", "AGPL-3.0", "mine")]
    ['permissive', 'weak copyleft', 'strong copyleft', 'strong copyleft', 'unknown']
    """
    if STRONG.search(licence):
        return "strong copyleft"
    if WEAK.search(licence):
        return "weak copyleft"
    return "permissive" if PERMISSIVE.search(licence) else "unknown"


def licence_lines() -> Iterator[str]:
    """A table in Markdown."""
    yield "| Package | Version | Licence |"
    yield "|---|---|---|"
    for name, about in installed_with("understudy", "all").items():
        yield f"| {name} | {about['Version']} | {licence_of(name, about)} |"


if __name__ == "__main__":
    sys.stdout.write("\n".join(licence_lines()) + "\n")
