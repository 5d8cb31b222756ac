"""The text of a shape or a cell: letters with their styles, counted in units of UTF-16.

The end of a line carries what is said of its paragraph.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from mockserver.googleapi import invalid
from mockserver.model import JsonMapping, JsonObject

MARKER: JsonObject = {"style": {}}


@dataclass(slots=True)
class Letter:
    """A letter, its style, and, at the end of a line, the marker of its paragraph."""

    text: str
    style: JsonObject = field(default_factory=dict)
    marker: JsonObject | None = None


def _width(text: str) -> int:
    return sum(1 + (each > "\uffff") for each in text)


def read_text(content: JsonMapping | None) -> list[Letter]:
    """The letters of a `TextContent`."""
    found: list[Letter] = []
    marker = MARKER
    for each in (content or {}).get("textElements") or ():
        marker = each.get("paragraphMarker", marker)
        run = each.get("textRun")
        if run is not None:
            style = run.get("style") or {}
            found += [
                Letter(letter, style, marker if letter == "\n" else None)
                for letter in str(run.get("content", ""))
            ]
    return found


def write_text(letters: Sequence[Letter]) -> JsonObject:
    """A `TextContent` of letters; an empty one has no elements."""
    elements: list[JsonObject] = []
    at = start = 0
    for place, letter in enumerate(letters):
        if letter.text != "\n" and place + 1 < len(letters):
            continue
        paragraph = letters[start : place + 1]
        end = at + _width("".join(each.text for each in paragraph))
        elements.append({**_span(at, end), "paragraphMarker": letter.marker or MARKER})
        for run in _runs(paragraph):
            text = "".join(each.text for each in run)
            held = {"content": text, "style": run[0].style}
            elements.append({**_span(at, at + _width(text)), "textRun": held})
            at += _width(text)
        start = place + 1
    return {"textElements": elements} if elements else {}


def _span(start: int, end: int) -> JsonObject:
    return {**({"startIndex": start} if start else {}), "endIndex": end}


def _runs(letters: Sequence[Letter]) -> list[list[Letter]]:
    found: list[list[Letter]] = []
    for each in letters:
        if found and found[-1][0].style == each.style:
            found[-1].append(each)
        else:
            found.append([each])
    return found


def plain_text(letters: Sequence[Letter]) -> str:
    """The text of letters."""
    return "".join(each.text for each in letters)


def _place(letters: Sequence[Letter], index: int) -> int:
    """The letter that begins at an index; ApiError 400 for none."""
    at = 0
    for place, each in enumerate(letters):
        if at >= index:
            return place
        at += _width(each.text)
    if index > at:
        raise invalid(f"The insertion index {index} must be at most the text's length, {at}.")
    return len(letters)


def bounds_of(letters: Sequence[Letter], given: JsonMapping | None) -> tuple[int, int]:
    """The letters that a `Range` means; ApiError 400 for one that cannot be."""
    asked = given or {}
    kind = asked.get("type") or ("ALL" if not asked else "FIXED_RANGE")
    if kind == "ALL":
        return 0, len(letters)
    start = _place(letters, int(asked.get("startIndex") or 0))
    if kind == "FROM_START_INDEX":
        return start, len(letters)
    end = _place(letters, int(asked.get("endIndex") or 0))
    if end <= start:
        raise invalid(f"The end index {asked.get('endIndex')} should be greater than the start.")
    return start, end


def insert_text(letters: list[Letter], index: int, text: str) -> None:
    """Put a text at an index; an empty text gets the end of its line."""
    if not letters:
        letters.append(Letter("\n", {}, MARKER))
    place = min(_place(letters, index), len(letters) - 1)
    beside = letters[place - 1 if place else 0]
    marker = next((each.marker for each in letters[place:] if each.marker), MARKER)
    letters[place:place] = [
        Letter(each, beside.style, marker if each == "\n" else None) for each in text
    ]


def delete_text(letters: list[Letter], start: int, end: int) -> None:
    """Delete letters; the end of the last line stays while there are others."""
    if start == 0 and end >= len(letters) - 1:
        letters.clear()
    else:
        del letters[start : min(end, len(letters) - 1)]


def replace_text(letters: list[Letter], wanted: str, text: str, *, match_case: bool) -> int:
    """Replace a text wherever it is; how often it was."""
    fold: Callable[[str], str] = str if match_case else str.lower
    held, sought, count, at = fold(plain_text(letters)), fold(wanted), 0, 0
    if len(held) != len(letters):
        held = plain_text(letters)  # letters that fold to several keep their case
    while (at := held.find(sought, at)) >= 0:
        style = letters[at].style
        marker = next((each.marker for each in letters[at:] if each.marker), MARKER)
        letters[at : at + len(sought)] = [
            Letter(each, style, marker if each == "\n" else None) for each in text
        ]
        held = held[:at] + "\0" * len(text) + held[at + len(sought) :]
        at, count = at + len(text), count + 1
    return count
