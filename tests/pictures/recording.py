"""Records docs/img/demo.svg: what `understudy demo` prints, as a film of a terminal.

The output is that of a real run; how long each line stands alone is what it takes to read it. The
film is one SVG with two animations: a curtain that moves down the lines, and the lines that scroll.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

from tests.patience import PATIENCE_S

PICTURE = Path(__file__).parents[2] / "docs" / "img" / "demo.svg"
SECONDS = 60.0
COLUMNS, ROWS = 100, 26
_CELL, _ROW, _LEFT, _TOP = 8.43, 20, 16, 44
_WIDTH = int(2 * _LEFT + _CELL * COLUMNS)
_HEIGHT = _TOP + _ROW * ROWS + 14
_END_S = 6.0
"""What the last picture stands, before the film begins again."""

COMMAND = "understudy demo"
LAST = "Go on from here"
"""The part that is left out: its commands name files of the machine."""

_COLOURS = {"PASSED": "#5fd38d", "FAILED": "#ff7b72"}
_FONT = "ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', 'Liberation Mono', monospace"


class Frame(NamedTuple):
    """What is seen from some moment on.

    Attributes:
        at: The moment, in seconds.
        shown: How many lines.
    """

    at: float
    shown: int


def record() -> list[str]:
    """Run the demo in an empty folder; the command and the lines that it printed."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [str(Path(sys.executable).with_name("understudy")), "demo"],
            cwd=folder,
            env={**os.environ, "COLUMNS": str(COLUMNS), "NO_COLOR": "1"},
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=True,
        )
    return [f"$ {COMMAND}", *done.stdout.partition(LAST)[0].rstrip().splitlines()]


def frames(lines: Sequence[str]) -> list[Frame]:
    """When each line comes: empty ones at once, others when those before have been read."""
    weights = [1.5 + len(line.split()) if line else 0.0 for line in lines]
    pace = (SECONDS - _END_S) / sum(weights)
    found, at = [], 0.0
    for number, weight in enumerate(weights):
        found.append(Frame(round(at, 2), number + 1))
        at += weight * pace
    return [frame for frame, line in zip(found, lines, strict=True) if line]


def film(lines: Sequence[str]) -> Iterator[str]:
    """The lines of the SVG."""
    cuts = frames(lines)
    steps = [(frame.at / SECONDS * 100, frame.shown) for frame in cuts]
    curtain = " ".join(f"{at:.2f}%{{transform:translateY({_ROW * n}px)}}" for at, n in steps)
    scroll = " ".join(
        f"{at:.2f}%{{transform:translateY({-_ROW * max(0, n - ROWS)}px)}}" for at, n in steps
    )
    rest = -_ROW * max(0, len(lines) - ROWS)
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img"'
        f' aria-label="A terminal: {COMMAND}, an agent that books a flight, and one that lies"'
        f' font-family="{escape(_FONT)}" font-size="14">'
    )
    yield "<style>"
    yield f"@keyframes curtain {{{curtain}}}"
    yield f"@keyframes scroll {{{scroll}}}"
    yield f"#curtain {{animation: curtain {SECONDS:.0f}s step-end infinite}}"
    yield f"#lines {{animation: scroll {SECONDS:.0f}s step-end infinite}}"
    yield (
        "@media (prefers-reduced-motion: reduce) {#curtain {display: none}"
        f" #lines {{animation: none; transform: translateY({rest}px)}}}}"
    )
    yield "</style>"
    yield f'<rect width="{_WIDTH}" height="{_HEIGHT}" rx="10" fill="#14191f"/>'
    for number, colour in enumerate(("#ff5f57", "#febc2e", "#28c840")):
        yield f'<circle cx="{22 + 20 * number}" cy="20" r="6" fill="{colour}"/>'
    yield f'<svg x="0" y="{_TOP - 15}" width="{_WIDTH}" height="{_ROW * ROWS + 4}">'
    yield '<g id="lines">'
    for number, line in enumerate(lines):
        if line:
            place = f'x="{_LEFT}" y="{15 + _ROW * number}"'
            yield f"<text {place} {_style(line)}>{_marked(line)}</text>"
    tall = _ROW * (len(lines) + ROWS)
    yield f'<rect id="curtain" width="{_WIDTH}" height="{tall}" fill="#14191f"/>'
    yield "</g></svg></svg>"


def _style(line: str) -> str:
    """Commands and headings are bold, text is dim, and what was seen is bright."""
    kept = f'xml:space="preserve" textLength="{_CELL * len(line):.1f}"'
    if line.startswith("$ ") or line[:2] in {"1.", "2."} or line == "How the harness knows":
        return f'{kept} font-weight="bold" fill="#ffffff"'
    return f'{kept} fill="{"#d5dde5" if line.startswith("  ") else "#9fb0c0"}"'


def _marked(line: str) -> str:
    for word, colour in _COLOURS.items():
        before, found, after = line.partition(word)
        if found:
            span = f'<tspan fill="{colour}" font-weight="bold">{word}</tspan>'
            return escape(before) + span + escape(after)
    return escape(line)


def main() -> None:
    """Record it."""
    PICTURE.write_text("\n".join(film(record())) + "\n", encoding="utf-8")
