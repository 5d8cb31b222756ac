"""Reads what a trial was made of, and writes it down as a case of its own."""

import json
import re
from pathlib import Path

from harness.cases import input_hash, read_suite
from harness.cases.conversion import as_yaml, written_case
from harness.doctor import failing, promoted
from harness.environment import merged_fixtures
from harness.errors import HarnessError, reason_of
from harness.model import Case, JsonObject, RunManifest
from harness.runner import fixture_files
from harness.storage import RunFolder
from harness.verdicts import decide_trial
from mockserver.model import did_you_mean

_WORLD = "overrides.json"
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")


def promoted_case(
    folder: RunFolder, case: str, trial: int | None, id: str, suite: Path | None
) -> tuple[Case, JsonObject]:
    """A regression case of a failing trial, and the whole snapshot that it lived in.

    Args:
        folder: The run.
        case: The case's id.
        trial: The trial's number, or None: the first that failed.
        id: The new case's id.
        suite: Where the suite is, or None: where it was.

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
    chosen = failing(decided, trial)
    passed = [each.number for each in decided if each.status == "pass"]
    good = folder.records().get(case, passed[0]) if passed else None
    place = _suite(manifest, asked, suite)
    made = promoted(asked, chosen, id=_checked(id), run=manifest.run, good=good)
    texts = {
        path.name: path.read_text(encoding="utf-8", errors="replace")
        for path in fixture_files(place, asked)
    }
    workspace = {**texts, **made.fixtures.workspace}
    fixtures = made.fixtures.model_copy(update={"workspace": workspace})
    return made.model_copy(update={"fixtures": fixtures}), merged_fixtures(place, asked)


def written_files(case: Case, world: JsonObject, into: Path) -> tuple[Path, ...]:
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


def _checked(id: str) -> str:
    if not _ID.fullmatch(id):
        raise HarnessError(f"{id!r} is no id of a case", hint="letters, digits, '_', '.', '-'")
    return id


def _suite(manifest: RunManifest, case: Case, named: Path | None) -> Path:
    """The folder of the suite, as long as the case in it is the one that was run."""
    suite = read_suite(named or Path(manifest.suite))
    now = next((each for each in suite.cases if each.id == case.id), None)
    if now is not None and input_hash(now) != input_hash(case):
        raise HarnessError(
            f"{case.id} asks or gives its agent something else now than in run {manifest.run}",
            hint="run it again first",
        )
    return suite.path
