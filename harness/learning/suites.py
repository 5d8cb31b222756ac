"""Writes a suite of what was learned: all of it, or nothing."""

import shutil
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from harness.cases import read_suite
from harness.cases.conversion import as_yaml
from harness.environment import redact_learned, write_learned
from harness.errors import HarnessError, reason_of
from harness.learning.calls import learned_of
from harness.learning.groups import Group, covered_by
from harness.learning.proposals import case_id, group_note, propose
from harness.model import JsonObject

_VARIANT = "variant"


class LearnedSuite(NamedTuple):
    """What was written.

    Attributes:
        cases: The ids of new cases; variants stand behind the case that they are of.
        variants: How many of them are variants.
        covered: Groups that were left out, as a case of the suite covers them.
        replaced: How many different values were replaced.
        random: Values among them that only look random.
    """

    cases: tuple[str, ...]
    variants: int
    covered: int
    replaced: int
    random: int


def learn_suite(
    groups: Iterable[Group], output: Path, *, append: bool = False, rules: Path | None = None
) -> LearnedSuite:
    """Write the cases of groups of traces as a suite.

    Args:
        groups: Of each the first trace is a case, the others its variants.
        output: The folder of the suite.
        append: Whether it may be there: only what no case of it covers is added, then.
        rules: The user's own rules of redaction.

    Raises:
        HarnessError: The folder holds something, a secret is left, or it cannot be written.
    """
    is_there = output.exists() and any(output.iterdir()) if output.is_dir() else output.exists()
    if is_there and not append:
        raise HarnessError(
            f"{str(output)!r} is there already",
            hint="--append adds what it does not cover yet; or name another folder",
        )
    known = read_suite(output).cases if is_there else ()
    covered = covered_by(known)
    several = [group for group in groups if group.covers not in covered]
    left_out = sum(1 for group in groups if group.covers in covered)
    traces = [(group, trace) for group in several for trace in group.traces]
    redaction = redact_learned([learned_of(trace) for _, trace in traces], rules)
    taken = {case.id for case in known}
    names: list[str] = []
    variants = 0
    output.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=output.parent, prefix=f".{output.name}-") as made:
        folder = Path(made)
        for number, ((group, trace), told) in enumerate(zip(traces, redaction.traces, strict=True)):
            is_variant = number > 0 and traces[number - 1][0] is group
            id = _free_id(case_id(told.facts, group.covers), taken)
            calls = told.interactions[1:]
            cassette = f"{id}.tools" if calls else ""
            tools = _redacted_tools(told.interactions[0].response.body)
            case = propose(told.facts, tools, id=id, covers=group.covers, cassette=cassette)
            case["source_refs"] = [*case["source_refs"], f"trace {trace.id}"]
            if is_variant:
                case["tags"] = [*case["tags"], _VARIANT]
                variants += 1
            elif group.count > 1:
                case["notes"]["Group"] = group_note(group)
            _write_case(case, folder)
            if cassette:
                path = folder / "cassettes" / f"{cassette}.yaml"
                path.parent.mkdir(exist_ok=True)
                write_learned(told.interactions, path, redaction.key_id)
            names.append(id)
        if names:
            _check(folder)
            _move(folder, output)
    return LearnedSuite(tuple(names), variants, left_out, redaction.replaced, redaction.random)


def _redacted_tools(body: bytes) -> list[JsonObject]:
    import orjson

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


def _check(folder: Path) -> None:
    """See to it that what was made is a suite.

    Raises:
        HarnessError: It is none, which is a defect of what proposes cases.
    """
    problems = read_suite(folder).problems
    if problems:
        raise HarnessError("\n".join(str(each) for each in problems[:20]))


def _move(folder: Path, output: Path) -> None:
    files: Sequence[Path] = [each for each in sorted(folder.rglob("*")) if each.is_file()]
    try:
        if not output.exists():
            shutil.copytree(folder, output)
            return
        for file in reversed(files):  # recordings before the cases that name them
            target = output / file.relative_to(folder)
            target.parent.mkdir(parents=True, exist_ok=True)
            file.replace(target)
    except OSError as error:
        raise HarnessError(f"cannot write {str(output)!r}: {reason_of(error)}") from None
