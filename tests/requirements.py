"""The page of requirements and the tests that name its rows.

`python -m tests.requirements` rewrites the page. Its statements are written by hand. The last
column is made of the docstrings of tests: each names the ids that it proves. A row that no test
names says there why not.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from typing_extensions import override

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "requirements.md"
NOT_PROVEN = "not built: "
"""What the last column of a row begins with that no test names; the reason follows."""

_IDS = re.compile(r"\b((?:CEP|CSR|CTX|SRE)R?)-(\d{2})(?:\.\.(\d{2}))?")
_ROW = re.compile(r"\| ((?:CEP|CSR|CTX|SRE)R?-\d{2}) \| (.*?) \| (.*) \|")


@dataclass(frozen=True)
class Row:
    """A requirement.

    Attributes:
        id: Its id, `CEP-01`.
        statement: What is asked for.
        proof: The tests that prove it, or why there are none.
    """

    id: str
    statement: str
    proof: str

    @override
    def __str__(self) -> str:
        return f"| {self.id} | {self.statement} | {self.proof} |"


def rows(text: str) -> list[Row]:
    """The rows of the page."""
    return [Row(*found.groups()) for found in map(_ROW.fullmatch, text.splitlines()) if found]


def ids_in(text: str) -> Iterator[str]:
    """The ids that a docstring names; `CEP-68..71` names four."""
    for area, first, last in _IDS.findall(text):
        for number in range(int(first), int(last or first) + 1):
            yield f"{area}-{number:02}"


def proofs() -> dict[str, list[str]]:
    """Id to the tests that name it, as `module::name` below `tests/`."""
    found: dict[str, list[str]] = {}
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        module, text = path.relative_to(ROOT / "tests"), path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)) if _IDS.search(text) else ():
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                for id in dict.fromkeys(ids_in(ast.get_docstring(node) or "")):
                    found.setdefault(id, []).append(f"{module}::{node.name}")
    return found


def written(text: str, proven: dict[str, list[str]]) -> str:
    """The page with its last column as the tests have it."""
    lines = []
    for line in text.splitlines():
        found = _ROW.fullmatch(line)
        if found and found[1] in proven:
            tests = ", ".join(f"`{name}`" for name in proven[found[1]])
            line = str(replace(Row(*found.groups()), proof=tests))
        lines.append(line)
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8"), proofs()), encoding="utf-8")
