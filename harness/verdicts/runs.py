"""From the records of a run to its result: verdicts, common failures, unused recordings."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from typing_extensions import override

from harness.checks import class_of
from harness.model.cases import Case, Policy, model_cassette
from harness.model.facts import FactTable, facts_of
from harness.model.records import Records
from harness.model.runs import RunManifest, RunResult
from harness.trials.decisions import CaseDecision, Cluster, TrialDecision
from harness.trials.records import TrialRecord
from harness.verdicts.decisions import decide_case, decide_trial
from harness.verdicts.exits import DEFAULT_LIMITS, Limits, exit_reasons
from mockserver.model import UnusedRecording

_SEEN = frozenset({"replied", "agent_error"})


class RecordingUse:
    """Takes trials one by one; a recording is used when one trial of one case has asked for it.

    Attributes:
        doubtful: What answered with a warning, in order: `case: cassette 3: why`.
    """

    def __init__(self) -> None:
        self._left: dict[str, dict[str, None]] = {}
        self.doubtful: dict[str, None] = {}

    def note(self, case: Case, record: TrialRecord) -> None:
        """Look at one trial; one whose agent was not reached says nothing."""
        if record.outcome not in _SEEN or record.synthetic:
            return
        for entry in record.journal.entries:
            played = entry.recording
            if played is not None and played.warning:
                told = f"{record.case}: {played.cassette} {played.number}: {played.warning}"
                self.doubtful[told] = None
        own = model_cassette(case.id, record.number)
        tapes = {each.recording.cassette for each in record.journal.entries if each.recording}
        met = set(map(_name, tapes | {each.tape for each in record.unused}))
        models = own if own in met else model_cassette(case.id)
        for name in (*case.fixtures.cassettes, models):
            unused = {
                _recording_text(each): None for each in record.unused if _name(each.tape) == name
            }
            left = self._left.setdefault(name, unused)
            self._left[name] = {each: None for each in left if each in unused}

    def unused(self) -> tuple[str, ...]:
        """What is left, `cassette 3: GET https://...`, by cassette in the order of first use."""
        return tuple(told for left in self._left.values() for told in left)


def _name(tape: str) -> str:
    """A cassette as cases name it: its file's name without what follows the dot."""
    stem, dot, _ = tape.rpartition(".")
    return stem if dot else tape


def _recording_text(unused: UnusedRecording) -> str:
    return f"{_name(unused.tape)} {unused.number}: {unused.method} {unused.url}"


class ClusterCounts:
    """Counts what failures have in common; takes trials one by one, case after case."""

    def __init__(self) -> None:
        self._cases: dict[tuple[str, str], dict[str, int]] = defaultdict(dict)

    def note(self, case: str, trial: TrialDecision) -> None:
        """Count what one trial of a case lacks or shows."""
        for problem in _problems(trial):
            known = self._cases[problem]
            known[case] = known.get(case, 0) + 1

    def clusters(self) -> tuple[Cluster, ...]:
        """What at least two cases have in common, the most frequent first."""
        found = [
            Cluster(kind=kind, what=what, cases=tuple(counts), trials=sum(counts.values()))
            for (kind, what), counts in self._cases.items()
            if len(counts) > 1
        ]
        return tuple(
            sorted(found, key=lambda each: (-len(each.cases), -each.trials, each.kind, each.what))
        )


def clusters(decisions: Iterable[CaseDecision]) -> tuple[Cluster, ...]:
    """What at least two cases have in common, the most frequent first."""
    counts = ClusterCounts()
    for decision in decisions:
        for trial in decision.trials:
            counts.note(decision.case, trial)
    return counts.clusters()


def _problems(trial: TrialDecision) -> Iterator[tuple[str, str]]:
    """The texts that failed checks list as missing or forbidden.

    Yields:
        The check's kind, and the text.
    """
    for check in trial.checks:
        if check.required and check.status == "fail":
            lists = (check.numbers.get(name, ()) for name in class_of(check.kind).problem_lists)
            texts = dict.fromkeys(text for each in lists for text in each)
            yield from ((check.kind, text) for text in texts)


class DecisionKeeper(Protocol):
    """Where the decisions of a run are kept, case after case."""

    def keep(self, case: str, trials: Iterable[TrialDecision]) -> Sequence[TrialDecision]:
        """Take the decisions about the trials of a case, by number; how they are read again."""
        ...

    def finish(self, decision: CaseDecision) -> None:
        """Take what was decided about the case whose trials were the last."""
        ...


class InMemory(DecisionKeeper):
    """Keeps them in memory."""

    @override
    def keep(self, case: str, trials: Iterable[TrialDecision]) -> Sequence[TrialDecision]:
        return tuple(trials)

    @override
    def finish(self, decision: CaseDecision) -> None:
        """The result of the run holds it."""


_CONNECT, _FORBIDDEN = "CONNECT", 403
"""How the proxy journals that it let nobody through to an address."""


def decide_run(
    manifest: RunManifest,
    cases: Sequence[Case],
    records: Records,
    *,
    limits: Limits = DEFAULT_LIMITS,
    interrupted: bool = False,
    folder: str = "",
    keeper: DecisionKeeper | None = None,
) -> RunResult:
    """Decides every trial, every case and the run; the same records give the same result.

    Args:
        manifest: What was asked for, with the policy of cases that have none of their own.
        cases: The cases, in run order.
        records: Their trial records; each is read once and let go.
        limits: What the run may bear.
        interrupted: Whether trials are missing.
        folder: The run directory.
        keeper: Where the decisions about trials are kept; None keeps them in memory.
    """
    policy = Policy.model_validate(manifest.policy)
    reading = _RecordFacts()
    shelf = keeper or InMemory()
    decisions = tuple(_decide_one_case(case, records, policy, reading, shelf) for case in cases)
    result = RunResult(
        manifest=manifest,
        cases=tuple(cases),
        decisions=decisions,
        records=records,
        facts=reading.facts,
        interrupted=interrupted,
        faults_not_met=reading.faults_not_met(),
        recordings_unused=reading.tapes.unused(),
        recordings_doubtful=tuple(reading.tapes.doubtful),
        addresses_refused=tuple(reading.refused),
        clusters=reading.clusters.clusters(),
        folder=folder,
    )
    return result.model_copy(update={"exit_reasons": exit_reasons(result, limits)})


def _decide_one_case(
    case: Case, records: Records, policy: Policy, reading: "_RecordFacts", keeper: DecisionKeeper
) -> CaseDecision:
    decided = decide_case(
        case, keeper.keep(case.id, _decide_trials(case, records, reading)), policy
    )
    keeper.finish(decided)
    return decided


def _decide_trials(
    case: Case, records: Records, reading: "_RecordFacts"
) -> Iterator[TrialDecision]:
    for record in records.of(case.id):
        decision = decide_trial(case, record)
        reading.note(case, record, decision)
        reading.tapes.note(case, record)
        reading.clusters.note(case.id, decision)
        yield decision


class _RecordFacts:
    """What is kept of the records that went by."""

    def __init__(self) -> None:
        self.facts = FactTable()
        self.clusters = ClusterCounts()
        self.tapes = RecordingUse()
        self.refused: dict[str, None] = {}
        self._met: dict[str, bool] = {}

    def note(self, case: Case, record: TrialRecord, decision: TrialDecision) -> None:
        self.facts.append(facts_of(record, case.expect, decision.checks))
        for entry in record.journal.entries:
            if entry.http_method == _CONNECT and entry.status == _FORBIDDEN:
                self.refused[f"{record.case}: {entry.path}"] = None
        if record.outcome not in {"replied", "agent_error"} or record.synthetic:
            return
        for report in record.faults:
            name = f"{record.case}: {report.fault.method}"
            self._met[name] = self._met.get(name, False) or report.met > 0

    def faults_not_met(self) -> tuple[str, ...]:
        """`case: method` of the faults that no call met in any trial whose agent was reached."""
        return tuple(name for name, was_met in self._met.items() if not was_met)
