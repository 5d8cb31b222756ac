"""The parts of this installation: Python, the packages that it needs, the extras that are there.

What `--version` prints, and what a report of a mistake should begin with.
"""

import platform
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, metadata, requires, version

PROJECT = "understudy"
_NAME = re.compile(r"[A-Za-z0-9._-]+")
_EXTRA = re.compile(r"extra\s*==\s*['\"]([A-Za-z0-9._-]+)['\"]")
_OWN = re.compile(rf"{PROJECT}\[([^\]]+)\]")
_UNLISTED = frozenset({"all", "dev"})
"""Extras that are but the others together."""


@dataclass(frozen=True)
class Parts:
    """What an installation is made of.

    Attributes:
        program: The name of the command.
        version: Of this project.
        python: Its version.
        implementation: `CPython` or another.
        platform: Operating system and processor.
        packages: Those that it stands on: name to version, an empty string where one is missing.
        extras: Every extra, and whether all of its packages are there.
    """

    program: str
    version: str
    python: str
    implementation: str
    platform: str
    packages: dict[str, str]
    extras: dict[str, bool]


def parts_of(program: str, own_version: str) -> Parts:
    """The parts of this installation; no package of it is imported.

    Args:
        program: The name of the command.
        own_version: Of this project.
    """
    required = requirements()
    return Parts(
        program=program,
        version=own_version,
        python=".".join(map(str, sys.version_info[:3])),
        implementation=platform.python_implementation(),
        platform=f"{platform.system()} {platform.machine()}",
        packages={name: installed_version(name) for name in sorted(required.get("", ()))},
        extras={
            extra: all(map(installed_version, names))
            for extra, names in sorted(required.items())
            if extra and extra not in _UNLISTED
        },
    )


def parts_text(parts: Parts) -> str:
    """The same for people, the version first."""
    there = [name for name, is_there in parts.extras.items() if is_there]
    left = [name for name, is_there in parts.extras.items() if not is_there]
    packages = (f"{name} {number or 'MISSING'}" for name, number in parts.packages.items())
    return "\n".join(
        (
            f"{parts.program} {parts.version}",
            f"{parts.implementation} {parts.python}, {parts.platform}",
            f"packages: {', '.join(packages)}",
            f"extras: {', '.join(there) or 'none'}",
            *([f"extras that are not installed: {', '.join(left)}"] if left else []),
        )
    )


def requirements() -> dict[str, tuple[str, ...]]:
    """The packages that each extra needs, an empty string for those that are always needed."""
    try:
        lines = requires(PROJECT) or []
        extras = metadata(PROJECT).get_all("Provides-Extra") or []
    except PackageNotFoundError:
        return {}
    return _by_extra(lines, extras)


def _by_extra(lines: Iterable[str], extras: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Requirements as metadata has them, by extra; extras within extras are resolved.

    >>> lines = ["httpx", "mcp; extra == 'mcp'", "understudy[mcp]; extra == 'model'"]
    >>> _by_extra(lines, ["mcp", "model"])
    {'': ('httpx',), 'mcp': ('mcp',), 'model': ('mcp',)}
    """
    direct: dict[str, list[str]] = {"": [], **{extra: [] for extra in extras}}
    nested: dict[str, list[str]] = {}
    for line in lines:
        found = _EXTRA.search(line)
        extra = found[1] if found else ""
        if own := _OWN.match(line):
            nested.setdefault(extra, []).extend(each.strip() for each in own[1].split(","))
        elif name := _NAME.match(line):
            direct.setdefault(extra, []).append(name[0])

    def packages(extra: str) -> list[str]:
        return direct.get(extra, []) + [
            name for inner in nested.get(extra, []) for name in packages(inner)
        ]

    return {extra: tuple(dict.fromkeys(packages(extra))) for extra in direct}


def installed_version(name: str) -> str:
    """The version of a package that is installed, or an empty string."""
    try:
        return version(name)
    except PackageNotFoundError:
        return ""
