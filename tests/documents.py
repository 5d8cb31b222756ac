"""Reads the documents: sections, tables, names set as code, files that their examples write."""

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs"


def _name(path: Path) -> str:
    """Pages of the reference and the explanation by their name, others by their path."""
    name = path.relative_to(FOLDER).with_suffix("").as_posix()
    return re.sub(r"^(reference|explanation)/", "", name)


PAGES = {_name(path): path for path in sorted(FOLDER.rglob("*.md"))}
DOCS = {name: path.read_text(encoding="utf-8") for name, path in PAGES.items()}

_FENCED = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
_FILE = re.compile(r"^```\w+\n# ([\w./-]+\.\w+)\n(.*?)^```", re.DOTALL | re.MULTILINE)
_CODE = re.compile(r"`([^`]+)`")


def section(name: str, heading: str) -> str:
    """The text below a heading of a page, up to the next one of its level or above."""
    return section_of(DOCS[name], heading)


def section_of(page: str, heading: str) -> str:
    """The text below a heading, up to the next one of its level or above."""
    level = heading.partition(" ")[0]
    text = f"{page}\n"
    start = text.index(f"\n{heading}\n") + len(heading) + 2
    ends = [found.start() for found in re.finditer(rf"\n#{{1,{len(level)}}} ", text[start:])]
    return text[start:][: ends[0] if ends else None]


def table(text: str, first: str) -> list[list[str]]:
    """The rows of the table whose header begins with `first`."""
    lines = text[text.index(f"| {first} |") :].split("\n\n")[0].splitlines()
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines[2:]]


def names_in(cells: Iterable[str]) -> list[str]:
    """Everything that is set as code in these cells, in order."""
    return [name for cell in cells for name in code_in(cell)]


def first_column(text: str, first: str) -> list[str]:
    return names_in(row[0] for row in table(text, first))


def code_in(text: str) -> list[str]:
    """Everything that is set as code in a text without blocks."""
    return _CODE.findall(text)


def blocks(text: str) -> list[str]:
    """The fenced blocks, fences included."""
    return _FENCED.findall(text)


def without_blocks(text: str) -> str:
    """The text between the fenced blocks."""
    return _FENCED.sub("", text)


def files(text: str) -> list[tuple[str, str]]:
    """Name and content of every block whose first line is `# name`."""
    return _FILE.findall(text)


def json_of(text: str) -> Any:
    """The value of JSON text, be it a fenced block or not."""
    text = re.sub(r"^```json\n|```$", "", text)
    return json.loads(re.sub(r"\A# .*\n", "", text))


def write_files(document: str, folder: Path) -> None:
    """Write the files that a document shows into a folder."""
    for name, content in files(document):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
