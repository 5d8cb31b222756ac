"""Writes a suite of what was learned: all of it, or nothing."""

import shutil
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import orjson

from harness.cases import read_suite
from harness.cases.conversion import as_yaml
from harness.environment import learn_tools, redact_learned, write_learned
from harness.errors import HarnessError, reason_of
from harness.learning.calls import learned_of
from harness.learning.groups import Group, covered_by
from harness.learning.proposals import (
    STATE,
    CaseTerms,
    case_id,
    group_note,
    propose,
    state_lines,
    tools_from_state,
    world_of,
)
from harness.model import JsonObject, Reply, ToolCall, TrialRecord, model_cassette
from harness.verdicts import decide_trial
from mockserver.messages.mcp_calls import called_tool

if TYPE_CHECKING:
    from mockserver.capture.learned import RedactedTrace
    from mockserver.model import Interaction

_VARIANT = "variant"


class LearnedSuite(NamedTuple):
    """What was written.

    Attributes:
        cases: The ids of new cases; variants stand behind the case that they are of.
        variants: How many of them are variants.
        covered: Groups that were left out: what they have in common, the case of the suite that
            covers them, and how many traces they are.
        replaced: How many different values were replaced.
        random: Values among them that only look random.
        caught: Why the traces themselves would not pass their cases.
        state: What is answered from state, and what is left to recordings, as lines.
    """

    cases: tuple[str, ...]
    variants: int
    covered: tuple[tuple[str, str, int], ...]
    replaced: int
    random: int
    caught: tuple[str, ...] = ()
    state: tuple[str, ...] = ()


class LearnTerms(NamedTuple):
    """How a suite is learned.

    Attributes:
        append: Whether the suite may be there: only what no case of it covers is added, then.
        rules: The user's own rules of redaction.
        why: What was wrong with the traces, or an empty string: they are added in any case, then.
        id: The id of the case, where there is one trace; empty makes one.
        recorded: Whether all tools are answered from their recordings, and none from state.
    """

    append: bool = False
    rules: Path | None = None
    why: str = ""
    id: str = ""
    recorded: bool = False


_USUAL = LearnTerms()


def learn_suite(groups: Iterable[Group], output: Path, terms: LearnTerms = _USUAL) -> LearnedSuite:
    """Write the cases of groups of traces as a suite.

    Args:
        groups: Of each the first trace is a case, the others its variants.
        output: The folder of the suite.
        terms: How.

    Raises:
        HarnessError: The folder holds something, a secret is left, or it cannot be written.
    """
    groups = tuple(groups)
    is_there = any(output.iterdir()) if output.is_dir() else output.exists()
    if is_there and not terms.append:
        raise HarnessError(
            f"{str(output)!r} is there already",
            hint="--append adds what it does not cover yet; or name another folder",
        )
    known = read_suite(output).cases if is_there else ()
    covered = {} if terms.why else covered_by(known)
    several = [group for group in groups if group.covers not in covered]
    traces = [(group, trace) for group in several for trace in group.traces]
    redaction = redact_learned(
        [learned_of(trace, group.ids) for group, trace in traces], terms.rules
    )
    taken = {case.id for case in known}
    if terms.id in taken:
        raise HarnessError(f"{str(output)!r} has a case {terms.id!r}", hint="name another --id")
    made = []
    state = None
    if not (is_there or terms.why or terms.recorded):
        state = learn_tools([told.interactions for told in redaction.traces], STATE)
    before = tools_from_state(output)
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=output.parent, prefix=f".{output.name}-") as held:
            folder = Path(held)
            for number, ((group, _), told) in enumerate(zip(traces, redaction.traces, strict=True)):
                is_variant = number > 0 and traces[number - 1][0] is group
                id = _free_id(terms.id or case_id(told.facts, group.covers), taken)
                world = world_of(state, number, before)
                kept = [each for each in told.interactions if called_tool(each) not in world.served]
                tools = _redacted_tools(told.interactions[0].response.body)
                played = _played(told, id, _each_once(kept) if terms.why else kept)
                case_terms = CaseTerms(id, group.covers, tuple(played), terms.why, world)
                case = propose(told.facts, tools, case_terms)
                if is_variant:
                    case["tags"] = [*case["tags"], _VARIANT]
                elif group.count > 1:
                    case["notes"]["Group"] = group_note(told.facts, group.count)
                _write_case(case, folder)
                for name, value in world.files.items():
                    path = folder / "fixtures" / id / name
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_bytes(orjson.dumps(value, option=orjson.OPT_INDENT_2))
                models = {model_cassette(id): told.models} if told.models else {}
                for name, recordings in {**played, **models}.items():
                    path = folder / "cassettes" / f"{name}.yaml"
                    path.parent.mkdir(exist_ok=True)
                    write_learned(recordings, path, redaction.key_id)
                made.append((id, is_variant, told.facts))
            for name, text in (state.files if state is not None and made else {}).items():
                path = folder / name
                path.parent.mkdir(exist_ok=True)
                path.write_text(text, encoding="utf-8")
            caught = _caught(folder, made) if made else ()
            if made:
                _move(folder, output)
    except OSError as error:
        raise HarnessError(f"cannot write {str(output)!r}: {reason_of(error)}") from None
    return LearnedSuite(
        tuple(id for id, _, _ in made),
        sum(is_variant for _, is_variant, _ in made),
        tuple(
            (group.covers, covered[group.covers], group.count)
            for group in groups
            if group.covers in covered
        ),
        redaction.replaced,
        redaction.random,
        caught,
        tuple(state_lines(state, [id for id, _, _ in made])) if state is not None else (),
    )


def _played(
    told: "RedactedTrace", id: str, calls: "Sequence[Interaction]"
) -> "dict[str, Sequence[Interaction]]":
    """The cassettes that a case plays: of its tools, if there is more than their list, and of HTTP.

    What models said is played by `understudy replay` alone.
    """
    tapes = {f"{id}.tools": calls[1:] and calls, f"{id}.http": told.requests}
    return {name: recordings for name, recordings in tapes.items() if recordings}


def _each_once(recordings: "Sequence[Interaction]") -> "list[Interaction]":
    """The recordings without writes that were made again with the same arguments."""
    found: dict[bytes, Interaction] = {}
    for number, each in enumerate(recordings):
        is_write = each.request.method == "POST" and each.response.body.find(b'"isError":true') < 0
        found.setdefault(each.request.body if is_write else b"%d" % number, each)
    return list(found.values())


def _caught(folder: Path, made: Sequence[tuple[str, bool, JsonObject]]) -> tuple[str, ...]:
    """Why the traces would not pass their own cases.

    Raises:
        HarnessError: What was made is no suite, which is a defect of what proposes cases.
    """
    suite = read_suite(folder)
    if suite.problems:
        raise HarnessError("\n".join(str(each) for each in suite.problems[:20]))
    cases = {case.id: case for case in suite.cases}
    found = []
    for id, _, facts in made:
        decision = decide_trial(cases[id], _record_of(id, facts))
        found += [f"{id}: {each.reason}" for each in decision.checks
                  if each.status == "fail" and each.required]  # fmt: skip
    return tuple(found)


def _record_of(id: str, facts: JsonObject) -> TrialRecord:
    """A trace as the record of a trial, as far as it tells."""
    replies = tuple(
        Reply(
            turn=number,
            prompt=turn["user"],
            text=turn["answer"],
            tool_calls=tuple(
                ToolCall(
                    name=call["name"],
                    args=call["arguments"],
                    turn=number,
                    step=step,
                    status="error" if "error" in call else "ok",
                    result=call["result"],
                )
                for step, call in enumerate(turn["calls"])
            ),
        )
        for number, turn in enumerate(facts["turns"], start=1)
    )
    return TrialRecord(
        run="", case=id, case_hash="", number=1, outcome="replied", started_at="", replies=replies
    )


def _redacted_tools(body: bytes) -> list[JsonObject]:
    found: list[JsonObject] = orjson.loads(body)["result"]["tools"]
    return found


def _free_id(id: str, taken: set[str]) -> str:
    found, again = id, 1
    while found in taken:
        again += 1
        found = f"{id}-{again}"
    taken.add(found)
    return found


def _write_case(case: JsonObject, folder: Path) -> None:
    path = folder / "cases" / f"{case['id']}.yaml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(as_yaml(case), encoding="utf-8")


def _move(folder: Path, output: Path) -> None:
    files = [each for each in sorted(folder.rglob("*")) if each.is_file()]
    if not output.exists():
        shutil.copytree(folder, output)
        return
    for file in sorted(files, key=lambda each: each.parent.name == "cases"):
        target = output / file.relative_to(folder)  # recordings before the cases that name them
        target.parent.mkdir(parents=True, exist_ok=True)
        file.replace(target)
