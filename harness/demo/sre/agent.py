"""A question in, an answer out, with the tools that were used for it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness.demo.clock import now
from harness.demo.google import Access
from harness.demo.sre.cloud import Cloud
from harness.demo.sre.flaws import NO_FLAWS, SreFlaws
from harness.demo.sre.rules import rule_of
from harness.demo.sre.toolbox import Clock, Toolbox, ToolFailedError, Use

PROJECT = "shop-prod"
_PROJECT = re.compile(r"\b(?:project|in|on|does|owns) `?([a-z][a-z0-9-]{2,28}-(?:prod|staging))\b")
_LOST = "I know about time, projects, alerts, logs, metrics, traces and errors. Ask about those."


@dataclass(frozen=True)
class Reply:
    """What the agent says.

    Attributes:
        text: The answer.
        uses: The tools it used, in order.
    """

    text: str
    uses: tuple[Use, ...] = ()


def answer(
    question: str,
    access: Access,
    flaws: SreFlaws = NO_FLAWS,
    *,
    project: str = "",
    clock: Clock = now,
) -> Reply:
    """Answer a question about a cloud project.

    Args:
        question: What somebody wants to know.
        access: Where Google is, and as whom to ask.
        flaws: What the agent does badly.
        project: The project; that of the question, or the shop's, when empty.
        clock: The time of day.
    """
    named = _PROJECT.search(question)
    cloud = Cloud(access, project or (named[1] if named else PROJECT))
    tools = Toolbox(cloud, clock, flaws)
    rule = rule_of(question)
    try:
        text = rule(tools, question) if rule else _LOST
    except ToolFailedError as error:
        text = f"I could not find out: {error}"
    return Reply(_blurred(text) if flaws.no_numbers else text, tuple(tools.uses))


def last_question(messages: Sequence[Mapping[str, Any]]) -> str:
    """What the user asked last.

    >>> last_question([{"role": "user", "content": "A?"}, {"role": "assistant", "content": "B."}])
    'A?'
    """
    asked = [str(each.get("content", "")) for each in messages if each.get("role") == "user"]
    return asked[-1] if asked else ""


def _blurred(text: str) -> str:
    return re.sub(r"\d[\d.,:]*\d|\d", "some", text)
