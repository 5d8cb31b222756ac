"""Trees of forks as text: for terminals, for Markdown, and line by line for pages."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from harness.model import ForkNode, ForkOrigin
from harness.reports.texts import cost_text, one_line

_PROMPT = 40
_GOOD = {"pass", "passed"}
_BAD = {"fail", "failed", "agent_error"}


@dataclass(frozen=True, slots=True)
class ForkLine:
    """One line of a tree.

    Attributes:
        depth: 0 for the trial at the root.
        text: What was changed, and where.
        result: What came of it, with tokens and cost.
        tone: `good`, `bad` or `warn`.
        node: What it is about.
        stem: What stands before it in a text.
    """

    depth: int
    text: str
    result: str
    tone: str
    node: ForkNode
    stem: str = ""


def fork_lines(trees: Sequence[ForkNode]) -> list[ForkLine]:
    """The lines of some trees, each below what it was forked from."""
    return [line for tree in trees for line in _lines(tree, 0, "", "")]


def _lines(node: ForkNode, depth: int, stem: str, below: str) -> Iterator[ForkLine]:
    """The line of a node, and those below it.

    Yields:
        Lines.
    """
    text = describe_fork(node.fork) if node.fork else f"{node.case}, trial {node.number}"
    tone = "good" if node.verdict in _GOOD else "bad" if node.verdict in _BAD else "warn"
    yield ForkLine(depth, text, _result(node), tone, node, stem)
    for place, each in enumerate(node.forks):
        is_last = place == len(node.forks) - 1
        yield from _lines(
            each, depth + 1, below + ("└─ " if is_last else "├─ "),
            below + ("   " if is_last else "│  "),
        )  # fmt: skip


def describe_fork(fork: ForkOrigin) -> str:
    """Where a fork leaves its origin, and what is other from there on.

    >>> describe_fork(ForkOrigin(run="r", case="C", number=1, turn=2, model="openai/gpt-5"))
    'from turn 2: openai/gpt-5'
    """
    changes = [fork.model or "the same model"]
    if fork.prompt is not None:
        prompt = one_line(fork.prompt)
        prompt = prompt if len(prompt) <= _PROMPT else f"{prompt[: _PROMPT - 3]}..."
        changes.append(f"prompt {prompt!r}")
    return f"from turn {fork.turn}: {', '.join(changes)}"


def origin_text(fork: ForkOrigin) -> str:
    """Which trial a run was forked from, and what is other in it.

    >>> origin_text(ForkOrigin(run="r", case="C", number=1, turn=2, model="openai/gpt-5"))
    'fork of r/C/1 from turn 2: openai/gpt-5'
    """
    return f"fork of {fork.run}/{fork.case}/{fork.number} {describe_fork(fork)}"


def _result(node: ForkNode) -> str:
    verdict = node.verdict.replace("_", " ") or "not decided"
    rate = "" if node.number is not None else f" {node.passed}/{node.valid}"
    tokens = "" if node.tokens is None else f"{node.tokens:.0f} tokens"
    cost = "" if node.cost_usd is None else cost_text(node.cost_usd)
    return ", ".join(filter(None, [f"{verdict}{rate}", tokens, cost]))


def forks_text(trees: Sequence[ForkNode], here: str = "") -> str:
    """Trees for a terminal."""
    return "".join(
        f"{line.stem}{line.text}: {line.result} (run {line.node.run})"
        f"{' <' if here and line.node.run == here and line.depth else ''}\n"
        for line in fork_lines(trees)
    )
