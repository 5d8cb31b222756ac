"""A case file in Markdown: its sections, and what the user says in the Conversation.

A turn is a line `User: "..."` or `**User:** ...`, perhaps numbered or with an aside in parentheses;
label and quotes are not part of the prompt. A quoted prompt ends with a line that ends in the
closing quote; an unquoted one goes on to the next label. Anything else that looks like a label is
an error, so that no prompt is sent with a label in it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from mockserver.model import did_you_mean

SECTIONS = ("Summary", "Reproduction", "Conversation", "Expected result", "Cleanup")

_CONVERSATION = "conversation"
_TITLE = re.compile(r"^#\s+(?P<text>.+?)\s*#*$")
_SECTION = re.compile(r"^##\s+(?P<name>.+?)\s*#*$")
_FENCE = re.compile(r"^\s*(```|~~~)")
_BOLD = re.compile(r"^\*\*(?P<name>[^*:]{1,60}?)\s*(?::\*\*|\*\*\s*:)\s*(?P<rest>.*)$")
_PLAIN = re.compile(
    r"^(?P<name>(?:(?i:user)(?: turn)?(?: \d+)?|[A-Z][\w-]*(?: [\w-]+)?)(?:\s*\([^)]*\))?)"
    r"\s*:(?=\s|[\"\u201c\u2018]|$)\s*(?P<rest>.*)$"
)
_BULLET = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+(?=\S)")
_USER = re.compile(r"^user(?:\s+(?:turn\s+)?\d+)?(?:\s*\([^)]*\))?$", re.IGNORECASE)
_QUOTES = {'"': '"', "\u201c": "\u201d", "\u2018": "\u2019"}


@dataclass(frozen=True)
class Problem:
    """What is wrong in a line (from 1) of the file."""

    line: int
    message: str
    hint: str = ""


@dataclass(frozen=True)
class CaseText:
    """What a case file says.

    Attributes:
        title: The text of its first heading.
        turns: The prompts, exactly as they are to be sent.
        sections: The other sections, by name, for readers.
        problems: What cannot be read.
    """

    title: str
    turns: tuple[str, ...]
    sections: dict[str, str]
    problems: tuple[Problem, ...]


@dataclass(frozen=True)
class _Section:
    name: str
    line: int
    lines: tuple[str, ...]


def parse(text: str) -> CaseText:
    """Read a case file."""
    lines = text.splitlines()
    sections = list(_sections(lines))
    problems = list(_doubles(sections))
    talks = [part for part in sections if part.name.casefold() == _CONVERSATION]
    if not talks:
        known = [part.name for part in sections]
        hint = _hint(known) or 'write a section "## Conversation" with a line User: "..."'
        problems.append(Problem(1, "has no Conversation section", hint))
    turns = _Turns()
    for part in talks[:1]:
        turns.read(part.line, part.lines)
    title = next((found["text"] for line in lines[:5] if (found := _TITLE.match(line))), "")
    rest = {part.name: "\n".join(part.lines).strip() for part in sections if part not in talks}
    return CaseText(title, tuple(turns.found), rest, (*problems, *turns.problems))


def _sections(lines: list[str]) -> Iterator[_Section]:
    name, start = "", 0
    for number, line in [*_headings(lines), (len(lines), "")]:
        if name:
            yield _Section(name, start + 1, tuple(lines[start + 1 : number]))
        name, start = line, number


def _headings(lines: list[str]) -> Iterator[tuple[int, str]]:
    fenced = False
    for number, line in enumerate(lines):
        fenced ^= bool(_FENCE.match(line))
        if not fenced and (found := _SECTION.match(line)):
            yield number, found["name"]


def _doubles(sections: list[_Section]) -> Iterator[Problem]:
    seen: set[str] = set()
    for part in sections:
        name = part.name.casefold()
        if name in seen:
            yield Problem(part.line, f"the section {part.name!r} stands there twice")
        seen.add(name)


def _hint(names: list[str]) -> str:
    for name in names:
        if name not in SECTIONS and did_you_mean(name, ["Conversation"]).startswith("did"):
            return f"is {name!r} meant?"
    return ""


class _Turns:
    """Reads the lines of a Conversation one after the other.

    Attributes:
        found: The prompts.
        problems: Lines that are no part of a prompt.
    """

    def __init__(self) -> None:
        self.found: list[str] = []
        self.problems: list[Problem] = []
        self._open: list[str] | None = None
        self._closing = ""
        self._line = 0
        self._started = 0

    def read(self, heading: int, lines: tuple[str, ...]) -> None:
        """Read the whole section below the line of its heading."""
        for number, line in enumerate(lines, start=heading + 1):
            self._line = number
            if self._closing:
                self._add_quoted_line(line)
            else:
                self._plain(line)
        self._finish(heading)

    def _finish(self, heading: int) -> None:
        if self._closing:
            self._wrong(
                "the quoted prompt is never closed: no line ends in the closing quote",
                line=self._started,
            )
            return
        self._close()
        if not self.found and not self.problems:
            self._wrong("the Conversation holds no User line", line=heading)

    def _plain(self, line: str) -> None:
        text = line.strip()
        if text.startswith("### "):
            self._close()
        elif text.startswith("<!--") and text.endswith("-->"):
            return
        elif label := _label(line):
            self._add_label(label["name"], label["rest"])
        elif self._open is None:
            if text:
                self._wrong(f"{_short(text)} belongs to no User line")
        elif text and not "".join(self._open) and text[0] in _QUOTES:
            self._quote(text)
        else:
            self._open.append(line.strip().removeprefix("> ").rstrip())

    def _add_label(self, name: str, rest: str) -> None:
        self._close()
        if not _USER.match(name):
            self._wrong(
                f"{name!r} is no label that is understood: only User lines are sent",
                hint="put the whole prompt in quotes if this is a part of it",
            )
            return
        self._started = self._line
        self._open = []
        if rest[:1] in _QUOTES:
            self._quote(rest)
        elif rest:
            self._open.append(rest.rstrip())

    def _quote(self, text: str) -> None:
        self._open = []
        self._closing = _QUOTES[text[0]]
        self._add_quoted_line(text[1:])

    def _add_quoted_line(self, line: str) -> None:
        text = line.rstrip()
        ended = text.endswith(self._closing)
        self._open = [*(self._open or ()), text[:-1] if ended else line]
        if ended:
            self._closing = ""
            self._close()

    def _close(self) -> None:
        if self._open is None:
            return
        prompt = "\n".join(self._open).strip()
        self._open = None
        if prompt:
            self.found.append(prompt)
        else:
            self._wrong("the prompt is empty", line=self._started)

    def _wrong(self, message: str, *, line: int = 0, hint: str = "") -> None:
        self.problems.append(Problem(line or self._line, message, hint))


def _label(line: str) -> re.Match[str] | None:
    text = _BULLET.sub("", line, count=1).strip()
    return _BOLD.match(text) or _PLAIN.match(text)


def _short(text: str) -> str:
    return repr(text if len(text) <= 40 else f"{text[:37]}...")
