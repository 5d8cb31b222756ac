"""Earlier runs of a suite, read from their directories."""

from collections.abc import Iterator
from pathlib import Path

from harness.errors import HarnessError
from harness.model import CaseDecision, Comparison, PastCase, PastRun, RunManifest, SuiteHistory
from harness.runner.outcomes import compare_outcomes, stored_outcomes
from harness.statistics import Terms
from harness.storage import Baselines, RegisteredSuites, RunFolder, mirror_of, suite_name
from harness.verdicts import history_of


def runs_of(suite: str, runs: Path, *, agent: str = "") -> Iterator[tuple[RunFolder, RunManifest]]:
    """The runs of a suite, the newest first; what cannot be read is passed over.

    Args:
        suite: Its path, its short name, or what it is registered as.
        runs: The directory of runs.
        agent: Only those of this agent; of any when empty.

    Yields:
        Their directories and manifests.
    """
    name = _short_name(suite, runs)
    if mirror := mirror_of(runs):
        mirror.pull_summaries()
    found = []
    for path in runs.glob("*/manifest.json"):
        folder = RunFolder(path.parent)
        try:
            manifest = folder.manifest()
        except HarnessError:
            continue
        if manifest.fork is not None:
            continue  # it says nothing of how the suite goes
        if suite_name(manifest.suite) == name and agent in {"", manifest.agent}:
            found.append((folder, manifest))
    yield from sorted(found, key=lambda each: (each[1].started_at, each[1].run), reverse=True)


def decisions_of(folder: RunFolder, manifest: RunManifest) -> tuple[CaseDecision, ...]:
    """What was decided about a run that is finished; nothing of one that is not.

    Raises:
        HarnessError: A file is broken.
    """
    found = folder.decisions(manifest.policy) or ()
    done = sum(len(each.trials) for each in found)
    return found if done >= sum(manifest.trials.values()) else ()


def suite_history(suite: str, runs: Path, *, agent: str = "", last: int = 10) -> SuiteHistory:
    """How the cases of a suite did in its last finished runs.

    Args:
        suite: Its path or short name.
        runs: The directory of runs.
        agent: Whose runs; the agent of the newest one when empty.
        last: At most so many runs.

    Raises:
        HarnessError: There is no finished run, or one cannot be read.
    """
    found: list[PastRun] = []
    for folder, manifest in runs_of(suite, runs, agent=agent):
        decisions = decisions_of(folder, manifest)
        if not decisions or manifest.agent != (agent or manifest.agent):
            continue
        agent = manifest.agent
        found.append(_past_run(manifest, decisions))
        if len(found) == last:
            break
    if not found:
        hint = "understudy runs list lists those that there are"
        raise HarnessError(f"no finished run of suite {suite_name(suite)!r}", hint=hint)
    return history_of(_short_name(suite, runs), agent, found[::-1])


def since_whole(manifest: RunManifest, runs: Path) -> tuple[str, int]:
    """The latest finished run of all cases of a run's suite by its agent, and how many came after.

    Returns:
        Its id, empty when there is none, and the number of runs since, of the suite's parts.
    """
    parts = 0
    for folder, each in runs_of(manifest.suite, runs, agent=manifest.agent):
        if is_whole(each) and folder.records().count() >= sum(each.trials.values()):
            return each.run, parts
        parts += 1
    return "", parts


def is_whole(manifest: RunManifest) -> bool:
    """Whether a run had every case of its suite, be it also under fault profiles."""
    crossed = bool(manifest.options.get("faults_matrix"))
    own = [case for case in manifest.cases if not (crossed and "--" in case)]
    return 0 < manifest.suite_cases <= len(own)


def _short_name(suite: str, runs: Path) -> str:
    registered = RegisteredSuites(runs).get(suite)
    return suite_name(registered.path if registered else suite)


def _past_run(manifest: RunManifest, decisions: tuple[CaseDecision, ...]) -> PastRun:
    return PastRun(
        run=manifest.run,
        started_at=manifest.started_at,
        note=manifest.note,
        whole=is_whole(manifest),
        cases={
            each.case: PastCase(
                verdict=each.verdict, passed=each.passed, valid=each.valid, reason=each.reason
            )
            for each in decisions
        },
    )


def against_baseline(suite: str, runs: Path, terms: Terms) -> Comparison:
    """The newest finished run of a suite that has a verdict, beside the suite's baseline.

    Raises:
        HarnessError: The suite has no baseline or no later run, or one of them cannot be read.
    """
    name = _short_name(suite, runs)
    baseline = Baselines(runs).of(name)
    if baseline is None:
        raise HarnessError(f"suite {name!r} has no baseline", hint="understudy baseline set RUN")
    for folder, manifest in runs_of(suite, runs):
        if manifest.run == baseline.run:
            break
        if any(each.valid for each in decisions_of(folder, manifest)):
            before, after = stored_outcomes(runs / baseline.run), stored_outcomes(folder.path)
            return compare_outcomes(before, after, terms)
    raise HarnessError(
        f"suite {name!r} has no finished run after its baseline {baseline.run}",
        hint=f"understudy run {suite} ...",
    )
