"""Draws docs/img/understudy.svg: what there is, and what passes between."""

from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import NamedTuple

PICTURE = Path(__file__).parents[2] / "docs" / "img" / "understudy.svg"
WIDTH, HEIGHT = 1000, 440
_INK, _DIM, _LINE, _OURS, _PAPER = "#1b2733", "#5b6775", "#8a97a6", "#00796b", "#ffffff"
_FONT = "system-ui, 'Segoe UI', Helvetica, Arial, 'DejaVu Sans', sans-serif"


class Box(NamedTuple):
    """A box with a title and lines.

    Attributes:
        x: The left edge.
        y: The upper edge.
        width: In pixels.
        title: Set bold.
        lines: Below the title.
        ours: Whether it is a part of Understudy.
    """

    x: int
    y: int
    width: int
    title: str
    lines: tuple[str, ...]
    ours: bool = True


class Arrow(NamedTuple):
    """A line with a head at its end.

    Attributes:
        start: Where it begins.
        end: Where its head is.
        label: What passes.
        at: Where the label begins.
        dashed: Whether it is not part of each trial.
    """

    start: tuple[int, int]
    end: tuple[int, int]
    label: str
    at: tuple[int, int]
    dashed: bool = False


_TALL = 104
BOXES = (
    Box(30, 60, 240, "Cases", ("a task, the world it starts in,", "what must be so afterwards")),
    Box(
        *(390, 60, 250, "Harness"),
        ("runs each case, again and again,", "and compares what was said", "with what happened"),
    ),
    Box(760, 60, 210, "Verdicts", ("report, JUnit, exit code;", "statistics and baselines")),
    Box(
        *(30, 290, 240, "Your agent"),
        ("unchanged, in any language;", "its environment leads it", "to the mock server"),
        ours=False,
    ),
    Box(
        *(390, 290, 250, "Mock server"),
        ("the APIs that it calls, with state;", "its own world for each trial;", "REST, gRPC, MCP"),
    ),
    Box(
        *(760, 290, 210, "Live APIs"),
        ("asked when you record,", "never during a trial"),
        ours=False,
    ),
)
ARROWS = (
    Arrow((270, 112), (382, 112), "the case", (298, 102)),
    Arrow((640, 112), (752, 112), "each trial", (666, 102)),
    Arrow((420, 164), (226, 284), "the task", (238, 222)),
    Arrow((258, 284), (452, 170), "its answer", (366, 242)),
    Arrow((270, 326), (382, 326), "requests", (298, 316)),
    Arrow((390, 366), (278, 366), "answers", (302, 386)),
    Arrow((540, 290), (540, 172), "journal and changes", (552, 236)),
    Arrow((760, 342), (648, 342), "recordings,", (668, 332), dashed=True),
)
NOTES = ((668, 362, "redacted"),)
"""Further text beside arrows: where it begins, and what it is."""


def drawing() -> Iterator[str]:
    """The lines of the SVG."""
    about = "Cases, a harness, your agent, and a mock server that it asks instead of live APIs"
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img"'
        f' aria-label="{about}" font-family="{_FONT}" font-size="15">'
    )
    yield (
        '<marker id="head" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8"'
        f' markerHeight="8" orient="auto"><path d="M0 0 10 5 0 10z" fill="{_LINE}"/></marker>'
    )
    yield f'<rect width="{WIDTH}" height="{HEIGHT}" rx="12" fill="{_PAPER}"/>'
    yield _text(30, 36, "Did the agent do what it says? The server saw it.", _INK, bold=True)
    for box in BOXES:
        colour = _OURS if box.ours else _LINE
        fill = "#e6f4f2" if box.ours else "#f4f6f8"
        yield (
            f'<rect x="{box.x}" y="{box.y}" width="{box.width}" height="{_TALL}" rx="8"'
            f' fill="{fill}" stroke="{colour}" stroke-width="1.5"/>'
        )
        yield _text(box.x + 14, box.y + 28, box.title, colour if box.ours else _INK, bold=True)
        for number, line in enumerate(box.lines):
            yield _text(box.x + 14, box.y + 50 + 20 * number, line, _INK, small=True)
    for arrow in ARROWS:
        (x, y), (to_x, to_y) = arrow.start, arrow.end
        dash = ' stroke-dasharray="5 4"' if arrow.dashed else ""
        yield (
            f'<path d="M{x} {y} {to_x} {to_y}" stroke="{_LINE}" stroke-width="2"{dash}'
            ' fill="none" marker-end="url(#head)"/>'
        )
        yield _text(*arrow.at, arrow.label, _DIM, small=True)
    for x, y, text in NOTES:
        yield _text(x, y, text, _DIM, small=True)
    yield _text(
        30,
        HEIGHT - 16,
        "Green is Understudy. Nothing leaves the machine in a trial.",
        _DIM,
        small=True,
    )
    yield "</svg>"


def _text(x: int, y: int, text: str, fill: str, *, bold: bool = False, small: bool = False) -> str:
    style = ' font-weight="600"' * bold + ' font-size="13.5"' * small
    return f'<text x="{x}" y="{y}" fill="{fill}"{style}>{escape(text)}</text>'


def main() -> None:
    """Write it."""
    PICTURE.write_text("\n".join(drawing()) + "\n", encoding="utf-8")
