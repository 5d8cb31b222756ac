"""What a capture came to, for people: one line a planned call, and what failed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mockserver.capture.google.asking import Failure
from mockserver.capture.google.running import Done

_LACKING = 2
_FAILED = 1
_UNAUTHORIZED = 401


@dataclass(frozen=True)
class Failures:
    """What did not go well.

    Attributes:
        lines: One a failure, and one a call that was cut short; to be redacted before it is shown.
        exit_code: 0, 1 where a call failed, 2 where the credentials are not accepted for one.
    """

    lines: tuple[str, ...]
    exit_code: int


def summary(done: Sequence[Done]) -> Iterator[str]:
    """One line a planned call: how often it was made, pages, items, failures.

    Yields:
        The lines, in the order of the plan.
    """
    by_call: dict[str, list[Done]] = {}
    for one in done:
        by_call.setdefault(one.call, []).append(one)
    for call, ones in by_call.items():
        failed = sum(one.outcome.failure is not None for one in ones)
        pages = sum(one.outcome.pages for one in ones)
        items = sum(one.outcome.items for one in ones)
        parts = [_count(len(ones), "call"), _count(pages, "page"), _count(items, "item")]
        parts += [f"{failed} failed"] if failed else []
        yield f"{call}: {', '.join(parts)}"


def failures(done: Sequence[Done]) -> Failures:
    """What failed, and what was cut short by a limit."""
    lines, codes = [], [0]
    for one in done:
        name = f"{one.call} [{one.about}]" if one.about else one.call
        failure = one.outcome.failure
        if failure is not None:
            lines.append(_failed(name, one, failure))
            codes.append(_code(one, failure))
        if one.outcome.cut:
            lines.append(f"{name}: cut short: {one.outcome.cut}")
    return Failures(tuple(lines), max(codes))


def _failed(name: str, one: Done, failure: Failure) -> str:
    status = f" {failure.status}" if failure.status else ""
    advice = ""
    if failure.scope:
        advice = f"; the credentials lack a scope of {one.method}, see --dry-run"
    elif failure.status == _UNAUTHORIZED:
        advice = "; the credentials are not accepted, no further call was made"
    kept = f", {_count(one.outcome.pages, 'page')} kept" if one.outcome.pages else ""
    optional = " (optional)" if one.optional else ""
    return f"{name}: failed{optional}{status}: {failure.message}{advice}{kept}"


def _code(one: Done, failure: Failure) -> int:
    if failure.status == _UNAUTHORIZED:
        return _LACKING
    if one.optional:
        return 0
    return _LACKING if failure.scope else _FAILED


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
