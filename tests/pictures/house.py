"""Draws docs/img/house.svg: the floors of both packages, and which rooms the harness imports."""

import ast
import re
import tomllib
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import NamedTuple

from tests.mutants.rooms import imports

ROOT = Path(__file__).parents[2]
PICTURE = ROOT / "docs" / "img" / "house.svg"
WIDTH = 1000
_LEFT, _TOP, _TALL, _STEP, _GAP = 30, 56, 26, 34, 8
_INK, _DIM, _LINE, _OURS, _PAPER = "#1b2733", "#5b6775", "#8a97a6", "#00796b", "#ffffff"
_FONT = "system-ui, 'Segoe UI', Helvetica, Arial, 'DejaVu Sans', sans-serif"


class Room(NamedTuple):
    """A package or a module of the first level.

    Attributes:
        name: Its name.
        about: The first line of its docstring.
        open: Whether the harness imports it, for rooms of the mock server.
    """

    name: str
    about: str
    open: bool


def floors(house: str, root: Path = ROOT) -> list[list[Room]]:
    """The floors of a package from the top, as the contract in `pyproject.toml` has them."""
    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    [layers] = [each["layers"] for each in contracts if each.get("containers") == [house]]
    doors = _doors(root) if house == "mockserver" else set()
    return [
        [
            Room(name, _about(root / house / name), name in doors)
            for name in (part.strip(" ()") for part in re.split("[|:]", layer))
        ]
        for layer in layers
    ]


def _doors(root: Path) -> set[str]:
    """The rooms of the mock server that the harness imports anywhere."""
    return {
        name.split(".")[1]
        for path in (root / "harness").rglob("*.py")
        for name in imports(ast.parse(path.read_text(encoding="utf-8")))
        if name.startswith("mockserver.")
    }


def _about(room: Path) -> str:
    path = room / "__init__.py" if room.is_dir() else room.with_suffix(".py")
    return (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").split("\n")[0]


def drawing() -> Iterator[str]:
    """The lines of the SVG."""
    houses = [(name, floors(name)) for name in ("harness", "mockserver")]
    height = sum(_TOP + _STEP * len(rows) for _, rows in houses) + 50
    about = "The floors of the harness above those of the mock server; imports go down"
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img"'
        f' aria-label="{about}" font-family="{_FONT}" font-size="13">'
    )
    yield f'<rect width="{WIDTH}" height="{height}" rx="12" fill="{_PAPER}"/>'
    y = 0
    for name, rows in houses:
        yield _text(_LEFT, y + 38, name, _OURS, ' font-size="16" font-weight="600"')
        y += _TOP
        for rooms in rows:
            yield from _floor(y, rooms)
            y += _STEP
    note = "Imports go down, on a floor in one direction only. Green: what the harness uses."
    yield _text(_LEFT, y + 26, note, _DIM)
    yield "</svg>"


def _floor(y: int, rooms: list[Room]) -> Iterator[str]:
    width = (WIDTH - 2 * _LEFT - _GAP * (len(rooms) - 1)) // len(rooms)
    for number, room in enumerate(rooms):
        x = _LEFT + number * (width + _GAP)
        fill, line = ("#e6f4f2", _OURS) if room.open else ("#f4f6f8", _LINE)
        yield (
            f'<g><title>{escape(room.about)}</title><rect x="{x}" y="{y}" width="{width}"'
            f' height="{_TALL}" rx="5" fill="{fill}" stroke="{line}"/>'
        )
        yield _text(x + width // 2, y + 18, room.name, _INK, ' text-anchor="middle"') + "</g>"


def _text(x: int, y: int, text: str, fill: str, style: str = "") -> str:
    return f'<text x="{x}" y="{y}" fill="{fill}"{style}>{escape(text)}</text>'


def main() -> None:
    """Write it."""
    PICTURE.write_text("\n".join(drawing()) + "\n", encoding="utf-8")
