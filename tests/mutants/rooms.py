"""Which code is changed, and which tests are run for it; found by the names of folders."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
HOUSES = ("mockserver", "harness")


def modules(root: Path = ROOT) -> list[str]:
    """The modules that are changed, as paths: all of both packages."""
    return sorted(
        str(path.relative_to(root)) for house in HOUSES for path in (root / house).rglob("*.py")
    )


def files_of(module: str, root: Path = ROOT) -> tuple[list[str], list[str]]:
    """The test files that know a module, and the others of its room.

    Those that know it are the file with its name in its place, then files with its name, files that
    import it, and the module itself where it has examples: last, since what pytest imports by its
    path hides a function of that name from those who import it of the package. The room is the
    folder of the same name, and before it that of which the module bears the name:
    `sources/models.py` answers for `models`. What has no folder of tests is tested by the files
    beside that folder: of a package those with its name. Tests of other rooms follow that import
    the module, where few do.

    Args:
        module: The path of a module.
        root: Where the project is.
    """
    path = Path(module)
    room = root / "tests" / path.parent
    is_room = len(path.parts) > 2 and any(room.rglob("test_*.py"))
    names = [path.stem]
    while not any(room.rglob("test_*.py")):
        names.append(room.name)
        room = room.parent
    found = sorted(room.rglob("test_*.py") if is_room else room.glob("test_*.py"))
    package = ".".join(path.with_suffix("").parts).removesuffix(".__init__")
    mirror = room / f"test_{names[-1]}.py"
    ranks = {
        str(each.relative_to(root)): (
            each != mirror,
            not any(name in each.stem for name in names),
            package not in _imported(each),
        )
        for each in found
    }
    near = sorted(
        (each for each, rank in ranks.items() if not all(rank)), key=lambda each: ranks[each]
    )
    examples = [module] if ">>> " in (root / module).read_text(encoding="utf-8") else []
    rest = list(ranks) if is_room or not near else []
    other = root / "tests" / path.parts[0] / path.stem.partition("_")[0]
    if len(path.parts) == 3 and path.stem != "__init__" and other != room:
        rest = [str(each.relative_to(root)) for each in sorted(other.rglob("test_*.py"))] + rest
    rest = [each for each in rest if each not in near]
    elsewhere = _importers(package, root)
    if len(elsewhere) <= _MOST_IMPORTERS:
        rest += [each for each in elsewhere if each not in near and each not in rest]
    return near + examples, rest


_MOST_IMPORTERS = 12
"""A module that more test files import is their tool, and not what they test."""


def _importers(package: str, root: Path) -> list[str]:
    """The test files of both packages that import a module by its own name."""
    above, _, name = package.rpartition(".")
    found = []
    for house in HOUSES:
        for path, text in _test_files(root / "tests" / house):
            if name in text and above in text and package in _imported(path):
                found.append(str(path.relative_to(root)))
    return found


@cache
def _test_files(folder: Path) -> list[tuple[Path, str]]:
    return [(path, path.read_text("utf-8")) for path in sorted(folder.rglob("test_*.py"))]


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
