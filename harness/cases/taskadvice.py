"""Warnings about tasks: what is allowed in one and probably not meant."""

import re
from collections.abc import Iterator

from harness.model import (
    ENOUGH_OUTPUT,
    Budget,
    Case,
    Files,
    Patterns,
    pattern_finding,
    read_pattern,
)

_NEARLY = re.compile(r"(?i)(not[ _-]?contains|contains?|reg(?:ex|exp))\s*:")


def task_advice(case: Case) -> Iterator[str]:
    """What an author should look at again, one sentence each.

    Yields:
        A sentence for each warning.
    """
    for item in case.expect:
        if isinstance(item, Patterns):
            yield from _patterns(case, item)
        elif isinstance(item, Files):
            yield from _files(case, item)
    if case.weights:
        yield from _weights(case)


def _patterns(case: Case, item: Patterns) -> Iterator[str]:
    prompt = case.turns[0].user
    for written in item.patterns:
        kind, _ = read_pattern(written)
        if not kind and (near := _NEARLY.match(written)):
            yield f"{near[0]!r} is no prefix: {written!r} is looked for as it is written"
        if kind != "not_contains" and pattern_finding(written, prompt).passed:
            yield f"the prompt itself meets {written!r}"
    if not _asks_more(case) and _echo_passes(item, prompt):
        yield "an agent that repeats the prompt passes"
    yield from _facts(case, item)


def _echo_passes(item: Patterns, prompt: str) -> bool:
    met = [pattern_finding(written, prompt).passed for written in item.patterns]
    if not met:
        return len(prompt) > ENOUGH_OUTPUT
    return all(met) if item.match == "all" else any(met)


def _asks_more(case: Case) -> bool:
    return any(not isinstance(item, Patterns | Budget) for item in case.expect)


def _facts(case: Case, item: Patterns) -> Iterator[str]:
    # a fact that is nowhere to be found cannot be retrieved
    if case.category != "search_retrieval" or not case.fixtures.workspace:
        return
    texts = "\n".join(case.fixtures.workspace.values())
    for written in item.patterns:
        kind, _ = read_pattern(written)
        if kind != "not_contains" and not pattern_finding(written, texts).passed:
            yield f"no file of the workspace meets {written!r}: the fact cannot be looked up"


def _files(case: Case, item: Files) -> Iterator[str]:
    for file in item.files:
        text = case.fixtures.workspace.get(file.path)
        if text is not None and all(part in text for part in file.contains):
            yield f"{file.path!r} is as expected from the start"


def _weights(case: Case) -> Iterator[str]:
    kinds = {item.kind for item in case.expect}
    for kind in case.weights.keys() - kinds:
        yield f"a weight for {kind!r}, of which the task has no check"
