"""Warnings about cases and coding tasks: what is allowed in one and probably not meant."""

import re
from collections.abc import Iterator

from harness.cases.evidence import contains_phrase, differs_by_slip, fold_text
from harness.cases.fixtures import SuiteFolder
from harness.cases.selection import misspelt_stages
from harness.documents import Remark
from harness.model import (
    ENOUGH_OUTPUT,
    MATCHERS,
    Budget,
    Case,
    Evidence,
    Files,
    Json,
    Patterns,
    TextMatches,
    pattern_finding,
    read_pattern,
    search_pattern,
)

LONG_FIXTURE = 64 * 1024
"""Bytes of a plain-text fixture above which an agent is likely to miss what matters in it."""

_LONG_MARKER = 80
_MANY_TRIALS = 1000
_SAMPLES = ("a", "Z", "7", "\u00e9", "-", "\u6f22")
"""A regular expression that is found in each of these is found everywhere."""

_OUT_OF_REACH = {"rounds": 1000, "tokens": 10**8, "cost_usd": 10_000, "seconds": 86_400}
_GENERIC = frozenset(
    map(
        fold_text,
        (
            *("admin", "chrome", "check", "connector", "data", "device", "diagnosis", "dlp"),
            *("error", "event", "evidence", "fix", "google", "hypotheses", "issue", "next"),
            *("next steps", "org", "ou", "policy", "problem", "rule", "setting", "settings"),
            *("step", "steps", "the", "token", "user", "users"),
        ),
    )
)


def advice(case: Case, folder: SuiteFolder) -> Iterator[Remark]:
    """What an author should look at again.

    Yields:
        A remark for each warning.
    """
    for item in case.expect:
        if isinstance(item, Evidence):
            yield from _leading_prompts(case, item)
            yield from _markers(item)
    yield from _long(case, folder)
    yield from misspelt_stages(case)
    yield from _policy(case)
    yield from _budgets(case)
    yield from _trials(case)
    yield from _any_reply(case)
    yield from _matchers(case)
    if folder.has_override(case.id) and not _uses(case, case.id):
        message = f"the override folder {case.id!r} exists, but the case does not use it"
        hint = "name it in 'overrides', or remove the folder"
        yield Remark(message, ["overrides"], hint)


def _policy(case: Case) -> Iterator[Remark]:
    policy = case.policy
    if policy is not None and policy.pass_hat is not None and policy.pass_hat > case.repeat:
        yield Remark(
            f"the policy pass_hat {policy.pass_hat} needs as many trials, and 'repeat' is"
            f" {case.repeat}: without -n {policy.pass_hat} the run is refused",
            ["pass_hat"],
            f"write repeat: {policy.pass_hat}, or a smaller pass_hat",
        )


def _budgets(case: Case) -> Iterator[Remark]:
    """Budgets that another limit ends before, that no trial comes near, or that no trial meets.

    Yields:
        A remark for each.
    """
    for budget in (item for item in case.expect if isinstance(item, Budget)):
        if budget.seconds and case.timeout_s and budget.seconds >= case.timeout_s:
            yield Remark(
                f"nobody can exceed the budget of {budget.seconds:g} seconds: the time limit is"
                f" {case.timeout_s:g}",
                ["seconds"],
                "give a smaller budget, or a longer time limit",
            )
        for name, most in _OUT_OF_REACH.items():
            limit = getattr(budget, name)
            if limit is not None and limit >= most:
                message = f"nobody is likely to exceed the budget of {limit:.12g} {name}"
                yield Remark(message, [name], "give what a good agent needs, and a little more")
            elif limit == 0:
                message = (
                    f"hardly any agent can stay within 0 {name}: even a plain reply takes some"
                )
                yield Remark(message, [name], "give what a good agent needs, and a little more")


def _trials(case: Case) -> Iterator[Remark]:
    if case.repeat > _MANY_TRIALS:
        yield Remark(f"{case.repeat} trials of one case", ["repeat"], "a few show as much")
    for fault in case.fixtures.faults:
        if fault.times == 0:
            message = f"the fault of {fault.method!r} never comes: it is met 0 times"
            yield Remark(message, ["times", fault.method], "say how often, or leave 'times' out")


def _any_reply(case: Case) -> Iterator[Remark]:
    """Regular expressions that a single letter, digit or sign meets, whatever it is.

    Yields:
        A remark for each.
    """
    for item in case.expect:
        for pattern in item.patterns if isinstance(item, TextMatches) else ():
            if all(search_pattern(pattern).search(text) for text in _SAMPLES):
                message = f"the regular expression {pattern!r} is found in any reply"
                yield Remark(message, [pattern], "say what a good reply holds")


def _matchers(case: Case) -> Iterator[Remark]:
    """Objects with a single key that is nearly a matcher: they would be compared as they are.

    Yields:
        A remark for each.
    """
    waiting: list[Json] = [item.model_dump(mode="json") for item in case.expect]
    while waiting:
        value = waiting.pop()
        inner = value.values() if isinstance(value, dict) else value
        waiting += [each for each in inner if isinstance(each, dict | list)]
        key = next(iter(value)) if isinstance(value, dict) and len(value) == 1 else ""
        near = [name for name in sorted(MATCHERS) if differs_by_slip(key, name)]
        if near and key not in MATCHERS:
            message = f"{key!r} is no matcher, so an object with this key is compared"
            yield Remark(message, [key], f"did you mean {near[0]!r}?")


def _leading_prompts(case: Case, item: Evidence) -> Iterator[Remark]:
    asked = case.turns[: item.turn] if item.turn else case.turns  # told before it has to show it
    for marker in item.markers:
        if any(contains_phrase(turn.user, marker) for turn in asked):
            message = f"the prompt gives the required evidence {marker!r} away"
            hint = "an agent that repeats the prompt shows it: ask for what only the fixtures hold"
            yield Remark(message, [marker], hint)


def _markers(item: Evidence) -> Iterator[Remark]:
    for marker in item.markers:
        plain = fold_text(marker)
        if plain in _GENERIC or len(plain.replace(" ", "")) < 2:
            message = f"the evidence marker {marker!r} is too generic: any reply may hold it"
            yield Remark(message, [marker], "take a value that only the fixtures hold")
        elif len(marker) > _LONG_MARKER:
            message = f"the evidence marker {marker[:40]!r}... is too specific to be in a reply"
            yield Remark(message, [marker], "take the few words that matter")


def _long(case: Case, folder: SuiteFolder) -> Iterator[Remark]:
    for path in (folder.path / name for name in case.fixtures.files):
        size = path.stat().st_size
        if size > LONG_FIXTURE:
            message = f"{folder.relative(path)} has {size >> 10} KiB"
            yield Remark(message, [folder.relative(path)], "keep fixtures short and focused")


def _uses(case: Case, name: str) -> bool:
    return any(used == name or used.startswith(f"{name}/") for used in case.fixtures.overrides)


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
    if not _has_more_checks(case) and _echo_passes(item, prompt):
        yield Remark("an agent that repeats the prompt passes", item.patterns[:1])
    yield from _facts(case, item)


def _echo_passes(item: Patterns, prompt: str) -> bool:
    met = [pattern_finding(written, prompt).passed for written in item.patterns]
    if not met:
        return len(prompt) > ENOUGH_OUTPUT
    return all(met) if item.match == "all" else any(met)


def _has_more_checks(case: Case) -> bool:
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
