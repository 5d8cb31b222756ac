"""Promotes a failing trial, or a recorded program, to a suite that stands alone."""

import json
import re
import shlex
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from harness.cases import input_hash, read_suite
from harness.cases.conversion import as_yaml, written_case
from harness.environment import copy_cassette, merged_fixtures, recorded_program
from harness.errors import HarnessError, reason_of
from harness.model import (
    Case,
    ExpectedCall,
    JsonObject,
    ReferenceCall,
    ReferenceTurn,
    RunManifest,
    ToolCalls,
    TrialDecision,
    TrialRecord,
)
from harness.runner import fixture_files
from harness.storage import RunFolder
from harness.verdicts import decide_trial
from mockserver.model import RecordedProgram, did_you_mean

REGRESSION = "regression"
"""One of `harness.cases.LIFECYCLE`."""


def promoted_trial(
    decisions: Iterable[TrialDecision], number: int | None, why: str = ""
) -> TrialDecision:
    """The trial that is promoted.

    Args:
        decisions: The decided trials of the case.
        number: The trial that was asked for, or None: the first that failed.
        why: What was wrong with it; where it is said, its verdict does not matter.

    Raises:
        HarnessError: There is none that failed.
    """
    decisions = tuple(decisions)
    failed = [each for each in decisions if each.status in {"fail", "agent_error"}]
    found = [each for each in failed if number in {None, each.number}]
    if why and not found:
        found = [each for each in decisions if number in {None, each.number}]
    if not found:
        which = "no trial" if number is None else f"no trial {number}"
        numbers = ", ".join(str(each.number) for each in failed)
        hint = f"failed: {numbers}" if failed else "--why says what was wrong with one that passed"
        raise HarnessError(f"{which} that failed", hint=hint)
    return found[0]


def regression_case(
    case: Case,
    trial: TrialDecision,
    *,
    id: str,
    run: str,
    good: TrialRecord | None = None,
    why: str = "",
) -> Case:
    """A regression case made of a failing trial.

    It asks what the case asked and expects what the case expected. Where the case has no reference,
    a trial that passed gives one; where it expects no tool calls, the reference's are expected.

    Args:
        case: The case as it was run.
        trial: The trial that failed.
        id: The new case's id; its one override holds the whole world.
        run: The run's id.
        good: A trial of the same case that passed, or None.
        why: What was wrong with the trial, in the words of who promotes it.
    """
    reference = case.reference or (_reference_turns(case, good) if good is not None else ())
    fixtures = case.fixtures.model_copy(update={"overrides": (id,), "base": False, "files": ()})
    return case.model_copy(
        update={
            "id": id,
            "tags": tuple(dict.fromkeys((*case.tags, REGRESSION))),
            "fixtures": fixtures,
            "expect": (*case.expect, *_expected_calls(case, reference)),
            "reference": reference,
            "source_refs": (*case.source_refs, f"run {run}, {case.id} trial {trial.number}"),
            "notes": {
                **case.notes,
                **({"Regression": trial.reason} if trial.reason else {}),
                **({"Why": why} if why else {}),
            },
        }
    )


def _reference_turns(case: Case, good: TrialRecord) -> tuple[ReferenceTurn, ...]:
    if len(good.replies) != len(case.turns):
        return ()
    seen = {_tool_name(entry.method_id) for entry in good.journal.entries}
    turns = []
    for reply in good.replies:
        calls = tuple(
            ReferenceCall(name=call.name, args=call.args)
            for call in reply.tool_calls
            if isinstance(call.args, dict)
        )
        turns.append(
            ReferenceTurn(
                calls=tuple(call for call in calls if call.name in seen),
                reports=tuple(call for call in calls if call.name not in seen),
                answer=reply.text,
                metadata=reply.metadata,
                http_status=reply.http_status,
                data=reply.data,
            )
        )
    return tuple(turns)


def _tool_name(method_id: str) -> str:
    kind, _, name = method_id.partition(".")
    return name if kind == "tools" else ""


def _expected_calls(case: Case, reference: Iterable[ReferenceTurn]) -> Iterable[ToolCalls]:
    if any(isinstance(item, ToolCalls) for item in case.expect):
        return
    for number, turn in enumerate(reference, start=1):
        names = [call.name for call in (*turn.calls, *turn.reports)]
        if names:
            yield ToolCalls(
                turn=number if len(case.turns) > 1 else None,
                calls=tuple(ExpectedCall(name=name) for name in names),
            )


_WORLD = "overrides.json"
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")


class PromotedTrial(NamedTuple):
    """What a trial is promoted to.

    Attributes:
        case: The regression case.
        world: The whole snapshot that it lived in.
        caught: What the case finds wrong with the trial itself.
    """

    case: Case
    world: JsonObject
    caught: tuple[str, ...]


def promote_trial(
    folder: RunFolder, case: str, trial: int | None, id: str, suite: Path | None, why: str = ""
) -> PromotedTrial:
    """A regression case of a trial, and the whole snapshot that it lived in.

    Args:
        folder: The run.
        case: The case's id.
        trial: The trial's number, or None: the first that failed.
        id: The new case's id.
        suite: Where the suite is, or None: where it was.
        why: What was wrong with the trial; then its verdict does not matter, and a call that it
            made again with the same arguments is expected once.

    Raises:
        HarnessError: There is no such case or failing trial, or its suite is gone or has changed.
    """
    manifest, cases = folder.manifest(), {each.id: each for each in folder.cases()}
    if case not in cases:
        hint = did_you_mean(case, cases)
        raise HarnessError(f"run {manifest.run} has no case {case!r}", hint=hint)
    asked = cases[case]
    if asked.fixtures.cassettes:
        raise HarnessError(f"{case} plays recordings", hint="a snapshot cannot stand for them")
    decided = [decide_trial(asked, record) for record in folder.records().of(case)]
    chosen = promoted_trial(decided, trial, why)
    passed = [each.number for each in decided if each.status == "pass"]
    good = folder.records().get(case, passed[0]) if passed else None
    place = _suite_folder(manifest, asked, suite)
    record = next(each for each in folder.records().of(case) if each.number == chosen.number)
    made = regression_case(asked, chosen, id=_checked_id(id), run=manifest.run, good=good, why=why)
    if why:
        made = made.model_copy(update={"expect": (*made.expect, *_calls_once(record))})
    texts = {
        path.name: path.read_text(encoding="utf-8", errors="replace")
        for path in fixture_files(place, asked)
    }
    workspace = {**texts, **made.fixtures.workspace}
    fixtures = made.fixtures.model_copy(update={"workspace": workspace})
    made = made.model_copy(update={"fixtures": fixtures})
    caught = tuple(
        each.reason
        for each in decide_trial(made, record).checks
        if each.status == "fail" and each.required
    )
    return PromotedTrial(made, merged_fixtures(place, asked), caught)


def _calls_once(record: TrialRecord) -> Iterator[ToolCalls]:
    """That each call was to be made once which the trial made again with the same arguments.

    Yields:
        One expectation, where there are such calls.
    """
    counts: dict[str, tuple[int, ExpectedCall | None]] = {}
    for call in record.tool_calls:
        if isinstance(call.args, dict) and call.status != "error":
            key = json.dumps([call.name, call.args], sort_keys=True)
            seen, _ = counts.get(key, (0, None))
            once = ExpectedCall.model_validate({"name": call.name, "args": call.args, "count": 1})
            counts[key] = (seen + 1, once)
    again = tuple(once for seen, once in counts.values() if once is not None and seen > 1)
    if again:
        yield ToolCalls(calls=again)


def write_regression_case(case: Case, world: JsonObject, into: Path) -> tuple[Path, ...]:
    """Write a case and its world into a native suite.

    Raises:
        HarnessError: One of the files is there, or cannot be written.
    """
    files = {
        into / "cases" / f"{case.id}.yaml": as_yaml(written_case(case)),
        into / case.id / _WORLD: json.dumps(world, indent=2, ensure_ascii=False) + "\n",
    }
    for path in files:
        if path.exists():
            raise HarnessError(f"{str(path)!r} is there already", hint="name another --id")
    try:
        for path, text in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise HarnessError(f"cannot write into {str(into)!r}: {reason_of(error)}") from None
    return tuple(files)


def _checked_id(id: str) -> str:
    if not _ID.fullmatch(id):
        raise HarnessError(f"{id!r} is no id of a case", hint="letters, digits, '_', '.', '-'")
    return id


def _suite_folder(manifest: RunManifest, case: Case, folder: Path | None) -> Path:
    """The folder of the suite, as long as the case in it is the one that was run."""
    suite = read_suite(folder or Path(manifest.suite))
    now = next((each for each in suite.cases if each.id == case.id), None)
    if now is not None and input_hash(now) != input_hash(case):
        raise HarnessError(
            f"{case.id} asks or gives its agent something else now than in run {manifest.run}",
            hint="run it again first",
        )
    return suite.path


_NOT_OF_IDS = re.compile(r"[^A-Za-z0-9_.-]+")
_LONGEST_TEXT = 200


def program_case(program: RecordedProgram, id: str) -> JsonObject:
    r"""The case of a recorded program, as an author would write it.

    Its task is what the program was given on its standard input, else its command line. It expects
    the exit code and the last line that the program printed.

    >>> told = RecordedProgram(command=("agent", "book"), exit_code=0, output="a\nBooked.\n")
    >>> program_case(told, "book")["expect"]
    {'exit_code': 0, 'text': {'contains': ['Booked.']}}
    """
    expect: JsonObject = {"exit_code": program.exit_code}
    lines = [line.strip() for line in (program.output or "").splitlines() if line.strip()]
    if lines:
        expect["text"] = {"contains": [lines[-1][:_LONGEST_TEXT]]}
    task = program.input or shlex.join(program.command)
    return {"id": id, "input": task, "fixtures": {"cassettes": [id]}, "expect": expect}


def promote_program(cassette: Path, into: Path, id: str = "") -> tuple[RecordedProgram, list[Path]]:
    """Write a case of a recorded program, with its cassette, into a suite of YAML cases.

    Args:
        cassette: What `record` wrote.
        into: The suite; made where there is none.
        id: The id of the case; that of the cassette's name when empty.

    Returns:
        The program, and the files that were written.

    Raises:
        HarnessError: The cassette tells of no program, a file is there already, or cannot be
            written.
    """
    program = recorded_program(cassette)
    if program is None:
        raise HarnessError(
            f"{cassette} tells of no program",
            hint="record one: understudy record --cassette FILE -- PROGRAM",
        )
    name = _NOT_OF_IDS.sub("-", id or cassette.stem).strip("-.")
    files = [into / "cases" / f"{name}.yaml", into / "cassettes" / f"{name}{cassette.suffix}"]
    for path in files:
        if path.exists():
            raise HarnessError(f"{str(path)!r} is there already", hint="name another --id")
    copy_cassette(cassette, files[1])
    try:
        files[0].parent.mkdir(parents=True, exist_ok=True)
        files[0].write_text(as_yaml({"cases": [program_case(program, name)]}), encoding="utf-8")
    except OSError as error:
        raise HarnessError(f"cannot write into {str(into)!r}: {reason_of(error)}") from None
    return program, files
