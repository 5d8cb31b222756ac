"""What grows in the house, as tables in Markdown: `python -m tests.health`, or `make health`.

Sizes, modules with one importer, long functions and duplicates are read from the code. Coverage,
mutants and the seconds of tests are those of the newest results in this checkout, or `-` where
there are none: `make coverage`, `make mutants`, and `make test` or `make slow` leave them.
"""

import ast
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

from coverage import Coverage
from coverage.exceptions import CoverageException

from tests.mutants.__main__ import RESULT
from tests.mutants.rooms import ROOT, imports

HOUSES = ("harness", "mockserver")
RESULTS = RESULT.parent
"""Where `make test`, `make slow` and `make mutants` leave what came out."""

_SHOWN = 15
"""Rows of functions and duplicates."""

_DUPLICATE = 5
"""Statements that a function has at least, to count as a duplicate of another."""


class Function(NamedTuple):
    """A function, wherever it stands.

    Attributes:
        place: Its file, line and name.
        lines: How long it is.
        statements: How many statements are in it.
        shape: Its arguments and its body, without its name and its docstring.
    """

    place: str
    lines: int
    statements: int
    shape: str


def room_of(path: str) -> str:
    """The room of a file, as `mockserver/redaction`; of tests the room that they test.

    Args:
        path: From the root of the project.
    """
    parts = Path(path).parts
    if parts[0] == "tests" and parts[1] in HOUSES:
        stem = Path(parts[2]).stem.removeprefix("test_")
        is_module = parts[2].endswith(".py") and (ROOT / parts[1] / f"{stem}.py").exists()
        parts = (parts[1], f"{stem}.py" if is_module else parts[2])
    return "/".join(parts[:2])


def functions(path: Path, root: Path = ROOT) -> Iterator[Function]:
    """The functions of a file below a root, inner ones too."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            body = node.body[1:] if ast.get_docstring(node) else node.body
            yield Function(
                f"{path.relative_to(root)}:{node.lineno} {node.name}",
                (node.end_lineno or node.lineno) - node.lineno + 1,
                sum(isinstance(each, ast.stmt) for part in body for each in ast.walk(part)),
                "".join(map(ast.dump, [node.args, *body])),
            )


def duplicates(found: Iterable[Function]) -> list[list[Function]]:
    """Functions that do the same with the same names, the longest first."""
    alike: dict[str, list[Function]] = defaultdict(list)
    for each in found:
        if each.statements >= _DUPLICATE:
            alike[each.shape].append(each)
    more = [group for group in alike.values() if len(group) > 1]
    return sorted(more, key=lambda group: -group[0].statements * len(group))


def single_importers(imported: Mapping[str, Iterable[str]]) -> dict[str, str]:
    """The modules that only one module of their own package imports, and which.

    Args:
        imported: What each module imports, by its dotted name.
    """
    importers: dict[str, set[str]] = defaultdict(set)
    for module, names in imported.items():
        for name in names:
            if name in imported and name != module:
                importers[name].add(module)
    return {
        name: other
        for name, (other, *more) in sorted((name, sorted(by)) for name, by in importers.items())
        if not more and other.rpartition(".")[0] == name.rpartition(".")[0]
    }


def table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Rows as a table in Markdown."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "".join(f"| {' | '.join(map(str, line))} |\n" for line in lines)


def coverage_of_rooms() -> dict[str, str]:
    """The share of lines and branches that the quick tests cover, by room."""
    measured = Coverage(data_file=str(ROOT / ".coverage"), config_file=str(ROOT / "pyproject.toml"))
    target = RESULTS / "coverage.json"
    try:
        measured.load()
        measured.json_report(outfile=str(target))
    except CoverageException:
        return {}
    covered: Counter[str] = Counter()
    whole: Counter[str] = Counter()
    for path, file in json.loads(target.read_text(encoding="utf-8"))["files"].items():
        told = file["summary"]
        covered[room_of(path)] += told["covered_lines"] + told["covered_branches"]
        whole[room_of(path)] += told["num_statements"] + told["num_branches"]
    return {room: f"{covered[room] / count:.1%}" for room, count in whole.items() if count}


def mutants_of_rooms() -> dict[str, str]:
    """Killed mutants of all, by room, of the newest sample."""
    if not RESULT.exists():
        return {}
    killed: Counter[str] = Counter()
    whole: Counter[str] = Counter()
    for module, outcomes in json.loads(RESULT.read_text(encoding="utf-8")).items():
        killed[room_of(module)] += sum(outcomes)
        whole[room_of(module)] += len(outcomes)
    return {room: f"{killed[room]}/{count}" for room, count in whole.items()}


def seconds_of_rooms() -> dict[str, float]:
    """Seconds of the tests, by room, of the newest run of each kind."""
    spent: dict[str, float] = defaultdict(float)
    for path in RESULTS.glob("*.xml"):
        for case in ElementTree.parse(path).iter("testcase"):
            names = case.get("classname", "").split(".")
            while names and not (ROOT / ("/".join(names) + ".py")).is_file():
                names.pop()  # a class
            if len(names) > 1:
                spent[room_of("/".join(names) + ".py")] += float(case.get("time", "0"))
    return dict(spent)


def tables() -> Iterator[str]:
    """The tables, each below its heading."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    code = [path for house in HOUSES for path in sorted((ROOT / house).rglob("*.py"))]
    tests = sorted((ROOT / "tests").rglob("*.py"))
    lines: Counter[str] = Counter()
    modules: Counter[str] = Counter()
    tested: Counter[str] = Counter()
    for path in (*code, *tests):
        name = str(path.relative_to(ROOT))
        count = path.read_text(encoding="utf-8").count("\n")
        (tested if name.startswith("tests/") else lines)[room_of(name)] += count
        modules[room_of(name)] += not name.startswith("tests/")
    imported = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): list(
            imports(ast.parse(path.read_text(encoding="utf-8")))
        )
        for path in code
    }
    lonely = single_importers(imported)
    alone = Counter(room_of(f"{name.replace('.', '/')}.py") for name in lonely)
    covered, killed, spent = coverage_of_rooms(), mutants_of_rooms(), seconds_of_rooms()
    rooms = sorted(lines.keys() | tested.keys(), key=lambda room: (-lines[room], -tested[room]))
    heads = ("Room", "Lines", "Modules", "With one importer", "Lines of tests", "Covered",
             "Mutants killed", "Seconds of tests")  # fmt: skip
    whole = ("all", lines.total(), modules.total(), len(lonely), tested.total(), "", "",
             f"{sum(spent.values()):.0f}" if spent else "-")  # fmt: skip
    rows = (
        (room, lines[room], modules[room], alone[room], tested[room], covered.get(room, "-"),
         killed.get(room, "-"), f"{spent[room]:.1f}" if room in spent else "-")
        for room in rooms
    )  # fmt: skip
    yield "## Rooms\n\n" + table(heads, (whole, *rows))
    every = [each for path in code for each in functions(path)]
    longest = sorted(every, key=lambda each: -each.lines)[:_SHOWN]
    yield "## Longest functions\n\n" + table(
        ("Function", "Lines"), ((each.place, each.lines) for each in longest)
    )
    alike = duplicates(every)
    yield f"## Duplicates: {len(alike)}\n\n" + table(
        ("Functions", "Statements"),
        (("<br>".join(each.place for each in group), group[0].statements)
         for group in alike[:_SHOWN]),
    )  # fmt: skip
    yield f"## Modules that one sibling imports: {len(lonely)}\n\n" + table(
        ("Module", "Importer"), lonely.items()
    )


if __name__ == "__main__":
    sys.stdout.write("# Health\n\n" + "\n".join(tables()))
