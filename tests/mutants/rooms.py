"""Which code is changed, and which tests are run for it; found by the names of folders."""

import ast
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
_NAMES = ("session", "credential")
"""Modules with these in their names are changed wherever they are, but for those of one API."""

_APART = ("harness.runner",)
"""Packages that are changed beside the pure ones."""


def modules(root: Path = ROOT) -> list[str]:
    """The modules that are changed, as paths: pure rooms, sessions and credentials, the runner.

    Which rooms are pure is said once, by the contract of that name in `pyproject.toml`.
    """
    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    [pure] = [one["source_modules"] for one in contracts if one["id"] == "pure"]
    found = set()
    for package in (*pure, *_APART):
        place = root / package.replace(".", "/")
        found |= set(place.rglob("*.py")) if place.is_dir() else {place.with_suffix(".py")}
    for path in (root / "mockserver").rglob("*.py"):
        inner = path.relative_to(root / "mockserver")
        if inner.parts[0] != "apis" and any(name in str(inner) for name in _NAMES):
            found.add(path)
    return sorted(str(path.relative_to(root)) for path in found)


def files_of(module: str, root: Path = ROOT) -> tuple[list[str], list[str]]:
    """The test files that know a module, and the others of its room.

    Args:
        module: The path of a module.
        root: Where the project is.
    """
    path = Path(module)
    room = root / "tests" / path.parent
    while not any(room.rglob("test_*.py")):
        room = room.parent
    files = sorted(str(each.relative_to(root)) for each in room.rglob("test_*.py"))
    package, name = ".".join(path.with_suffix("").parts), path.stem
    near = [each for each in files if name in Path(each).stem or package in _imported(root / each)]
    return near, [each for each in files if each not in near]


@cache
def _imported(path: Path) -> frozenset[str]:
    return frozenset(imports(ast.parse(path.read_text(encoding="utf-8"))))


def imports(tree: ast.AST) -> Iterator[str]:
    """The modules, and names of modules, that a file imports anywhere."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{each.name}" for each in node.names)
        elif isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
