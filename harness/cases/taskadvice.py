"""Warnings about tasks: what is allowed in one and probably not meant."""

import re
from collections.abc import Iterator

from harness.documents import Remark
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


def task_advice(case: Case) -> Iterator[Remark]:
    """What an author should look at again.

    Yields:
        A remark for each warning.
    """
    for item in case.expect:
        if isinstance(item, Patterns):
            yield from _patterns(case, item)
        elif isinstance(item, Files):
            yield from _files(case, item)
    if case.weights:
        yield from _weights(case)


def _patterns(case: Case, item: Patterns) -> Iterator[Remark]:
    prompt = case.turns[0].user
    for written in item.patterns:
        kind, _ = read_pattern(written)
        if not kind and (near := _NEARLY.match(written)):
            message = f"{near[0]!r} is no prefix: {written!r} is looked for as it is written"
            yield Remark(message, [written], "prefixes are regex:, contains: and not_contains:")
        if kind != "not_contains" and pattern_finding(written, prompt).passed:
            yield Remark(f"the prompt itself meets {written!r}", [written])
    if not _asks_more(case) and _echo_passes(item, prompt):
        yield Remark("an agent that repeats the prompt passes", item.patterns[:1])
    yield from _facts(case, item)


def _echo_passes(item: Patterns, prompt: str) -> bool:
    met = [pattern_finding(written, prompt).passed for written in item.patterns]
    if not met:
        return len(prompt) > ENOUGH_OUTPUT
    return all(met) if item.match == "all" else any(met)


def _asks_more(case: Case) -> bool:
    return any(not isinstance(item, Patterns | Budget) for item in case.expect)


def _facts(case: Case, item: Patterns) -> Iterator[Remark]:
    # a fact that is nowhere to be found cannot be retrieved
    if case.category != "search_retrieval" or not case.fixtures.workspace:
        return
    texts = "\n".join(case.fixtures.workspace.values())
    for written in item.patterns:
        kind, _ = read_pattern(written)
        if kind != "not_contains" and not pattern_finding(written, texts).passed:
            message = f"no file of the workspace meets {written!r}: the fact cannot be looked up"
            yield Remark(message, [written])


def _files(case: Case, item: Files) -> Iterator[Remark]:
    for file in item.files:
        text = case.fixtures.workspace.get(file.path)
        if text is not None and all(part in text for part in file.contains):
            yield Remark(f"{file.path!r} is as expected from the start", [file.path])


def _weights(case: Case) -> Iterator[Remark]:
    kinds = {item.kind for item in case.expect}
    for kind in case.weights.keys() - kinds:
        yield Remark(f"a weight for {kind!r}, of which the task has no check", [kind])
