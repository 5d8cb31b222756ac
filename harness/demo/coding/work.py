"""From a task in words to what is done about it."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from harness.demo.coding import papers, programs
from harness.demo.coding.toolbox import Toolbox, ToolFailedError

Skill = Callable[[Toolbox, re.Match[str]], str]

_FILE = r"[\w./-]*\w"
_SKILLS: tuple[tuple[str, Skill], ...] = (
    (
        rf"Write a function `(?P<name>\w+)\(text\)` into (?P<path>{_FILE}):.*"
        r"Run it on '(?P<example>[^']*)'",
        programs.write_function,
    ),
    (
        rf"(?P<check>{_FILE}) fails\. Find the mistake in (?P<path>{_FILE})",
        programs.mend,
    ),
    (
        rf"Rename `(?P<old>\w+)` to `(?P<new>\w+)` everywhere\. (?P<check>{_FILE}) must",
        programs.rename,
    ),
    (rf"Review (?P<path>{_FILE})\.", programs.review),
    (rf"How many lines of (?P<path>{_FILE}) have the level (?P<level>\w+)\?", papers.count),
    (r"Run `(?P<command>[^`]*)` and report", papers.run),
    (
        rf"Write the section (?P<section>\w+) of (?P<source>{_FILE}) into (?P<target>{_FILE})",
        papers.convert,
    ),
    (
        rf"Make (?P<target>{_FILE}) with a heading .* the number is in (?P<source>{_FILE})",
        papers.note,
    ),
    (
        r"From how many MiB on does the (?P<thing>\w+) refuse .* in (?P<week>\w+) weeks",
        papers.look_up,
    ),
    (
        rf"Raise the minor version: in (?P<source>{_FILE}), .* in (?P<changes>{_FILE})"
        rf" .* run (?P<check>{_FILE})",
        papers.raise_version,
    ),
)


@dataclass(frozen=True)
class Outcome:
    """What came of a task.

    Attributes:
        text: The answer.
        exit_code: What to exit with: that of the last command where the task asks for it.
    """

    text: str
    exit_code: int = 0


def work_on(task: str, tools: Toolbox) -> Outcome:
    """Do what a task asks for, as far as there is a rule for it."""
    said = " ".join(task.split())
    for pattern, skill in _SKILLS:
        if found := re.search(pattern, said):
            return _done(said, skill, found, tools)
    return Outcome("I have no rule for this task.", 1)


def _done(said: str, skill: Skill, found: re.Match[str], tools: Toolbox) -> Outcome:
    try:
        text = skill(tools, found)
    except ToolFailedError as error:
        return Outcome(f"I could not do it: {error}.", 1)
    handed_on = "exit with its exit code" in said
    return Outcome(text, tools.last.exit_code if handed_on else 0)
