"""The figures of a run: counts by case, trial and category, retries, recoveries, lines of text."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from harness.errors import Exit
from harness.model import (
    CaseDecision,
    CaseVerdict,
    FactsByCase,
    RunResult,
    RunStatistics,
    TrialFacts,
    TrialStatus,
    facts_by_case,
    trial_numbers,
    trial_shapes,
)
from harness.reports.judges import judge_lines

UNCATEGORISED = "uncategorised"
_OUTSIDE: Mapping[TrialStatus, str] = {
    "not_evaluated": "not evaluated",
    "infra_error": "infra",
    "replay_miss": "replay miss",
    "skipped": "skipped",
}


@dataclass(frozen=True, slots=True)
class Figures:
    """Counts over some cases.

    Attributes:
        verdicts: Cases by verdict.
        statuses: Their trials by status.
        synthetic: Skipped trials whose reply was made up without asking the agent.
        rated: False when the run broke on its infrastructure, so that a rate would mislead.
    """

    verdicts: Mapping[CaseVerdict, int]
    statuses: Mapping[TrialStatus, int]
    synthetic: int
    rated: bool = True

    @property
    def cases(self) -> int:
        """All cases."""
        return sum(self.verdicts.values())

    @property
    def decided(self) -> int:
        """Cases that passed, failed or are flaky."""
        return sum(self.verdicts.get(each, 0) for each in ("passed", "failed", "flaky"))

    @property
    def trials(self) -> int:
        """All trials."""
        return sum(self.statuses.values())

    @property
    def valid(self) -> int:
        """Trials inside the quality denominator."""
        return sum(self.statuses.get(each, 0) for each in ("pass", "fail", "agent_error"))

    @property
    def passed_trials(self) -> int:
        """Valid trials that passed."""
        return self.statuses.get("pass", 0)

    def case_rate(self) -> str:
        """Cases passed of those decided, with the others beside: `7/8 (8 of 9 decided: ...)`."""
        beside = [
            f"{count} {verdict}"
            for verdict in ("inconclusive", "skipped")
            if (count := self.verdicts.get(verdict, 0))
        ]
        return self._rate(self.verdicts.get("passed", 0), self.decided, self.cases, beside)

    def trial_rate(self) -> str:
        """Trials passed of those valid: `17/18 (18 of 20 valid: 1 infra, 1 replay miss)`."""
        beside = [
            f"{count} {name}"
            for status, name in _OUTSIDE.items()
            if (count := self._beside(status))
        ]
        beside += [f"{self.synthetic} synthetic"] if self.synthetic else []
        return self._rate(self.passed_trials, self.valid, self.trials, beside, word="valid")

    def _beside(self, status: TrialStatus) -> int:
        return self.statuses.get(status, 0) - (self.synthetic if status == "skipped" else 0)

    @property
    def not_evaluated(self) -> int:
        """Trials in which nothing failed, but something required could not be evaluated."""
        return self.statuses.get("not_evaluated", 0)

    def _rate(
        self, passed: int, counted: int, total: int, beside: list[str], *, word: str = "decided"
    ) -> str:
        rate = f"{passed}/{counted}" if self.rated and counted else "no pass rate"
        if not beside:
            return rate
        return f"{rate} ({counted} of {total} {word}: {', '.join(beside)})"


def figures(result: RunResult, decisions: Iterable[CaseDecision] | None = None) -> Figures:
    """The counts over all cases of a run, or over some of them."""
    chosen = list(result.decisions if decisions is None else decisions)
    of_case = facts_by_case(result.facts)
    return Figures(
        verdicts=Counter(decision.verdict for decision in chosen),
        statuses=Counter(
            shape.status for decision in chosen for shape in trial_shapes(decision.trials)
        ),
        synthetic=sum(_count_synthetic(decision, of_case) for decision in chosen),
        rated=all(reason.code != Exit.INFRASTRUCTURE for reason in result.exit_reasons),
    )


def _count_synthetic(decision: CaseDecision, of_case: FactsByCase) -> int:
    made_up = of_case.synthetic(decision.case)
    return sum(each in made_up for each in trial_numbers(decision.trials)) if made_up else 0


def by_category(result: RunResult) -> dict[str, Figures]:
    """The counts by category, in alphabetical order."""
    category = {case.id: case.category or UNCATEGORISED for case in result.cases}
    groups: dict[str, list[CaseDecision]] = {}
    for decision in result.decisions:
        groups.setdefault(category[decision.case], []).append(decision)
    return {name: figures(result, groups[name]) for name in sorted(groups)}


def by_attribution(result: RunResult) -> dict[str, int]:
    """How many trials failed on whose account, the most frequent first."""
    blamed = (shape.attribution for each in result.decisions for shape in trial_shapes(each.trials))
    return dict(Counter(each for each in blamed if each is not None).most_common())


def is_synthetic(result: RunResult) -> bool:
    """Whether no agent was asked at all."""
    return bool(result.facts) and all(each.synthetic for each in result.facts)


def always_failing(result: RunResult) -> list[str]:
    """Cases of which none of several valid trials passed; one trial does not tell."""
    return [each.case for each in result.decisions if each.valid > 1 and not each.passed]


def flaky(result: RunResult) -> list[str]:
    """Cases of which some valid trials passed and some did not, whatever the verdict."""
    return [each.case for each in result.decisions if 0 < each.passed < each.valid]


def retries(result: RunResult) -> dict[str, int]:
    """Further attempts after the first of a turn, by case; cases without any are left out."""
    found: Counter[str] = Counter()
    for facts in result.facts:
        found[facts.case] += _retry_count(facts)
    return {case: count for case, count in found.items() if count}


def _retry_count(facts: TrialFacts) -> int:
    """The last turn of a trial that was not answered has attempts too."""
    tried = facts.turns + (facts.outcome != "replied")
    return max(0, facts.attempts - tried)


TAG = "faults:"


@dataclass(frozen=True, slots=True)
class Recovery:
    """One fault profile.

    Attributes:
        profile: Its name.
        recovered: Valid trials that passed under it.
        valid: Valid trials under it, of cases that pass without.
        not_met: Cases in which no call met its faults: they prove nothing.
        lost: Cases that pass without and do not pass under it.
    """

    profile: str
    recovered: int
    valid: int
    not_met: tuple[str, ...]
    lost: tuple[str, ...]

    @property
    def text(self) -> str:
        """`3/4 trials; lost: EC-001; never met: EC-002`."""
        said = f"{self.recovered}/{self.valid} trials" if self.valid else "nothing to recover"
        lost = f"; lost: {', '.join(self.lost)}" if self.lost else ""
        return f"{said}{lost}" + (f"; never met: {', '.join(self.not_met)}" if self.not_met else "")


def recoveries(result: RunResult) -> tuple[Recovery, ...]:
    """Each fault profile of a run, in order; only cases count that pass without faults."""
    decisions = {decision.case: decision for decision in result.decisions}
    passing = {case for case, decision in decisions.items() if decision.verdict == "passed"}
    unmet = {text.partition(": ")[0] for text in result.faults_not_met}
    under: dict[str, list[str]] = {}
    for case in result.cases:
        for tag in case.tags:
            if tag.startswith(TAG) and case.id.endswith(f"--{tag.removeprefix(TAG)}"):
                under.setdefault(tag.removeprefix(TAG), []).append(case.id)
    found = []
    for profile, ids in under.items():
        origin = {id: id.removesuffix(f"--{profile}") for id in ids}
        counted = [id for id in ids if origin[id] in passing and id not in unmet]
        found.append(
            Recovery(
                profile=profile,
                recovered=sum(decisions[id].passed for id in counted),
                valid=sum(decisions[id].valid for id in counted),
                not_met=tuple(origin[id] for id in ids if id in unmet),
                lost=tuple(origin[id] for id in counted if id not in passing),
            )
        )
    return tuple(found)


OPEN = "the mock server had no control token, so the agents could have changed what it tells"


def custody_lines(result: RunResult) -> list[str]:
    """What speaks against the evidence of a run, one line each; none where all is in order."""
    open_ones = any(not each.protected for each in result.custody)
    attempts = [
        f"refused to an unknown caller: {each.attempt} ({each.status})"
        for time in result.custody
        for each in time.attempts
    ]
    planted = [
        f"not the harness's, and set aside: {file}"
        for time in result.custody
        for file in time.planted
    ]
    changed = [
        f"not what the harness wrote: {file}" for time in result.custody for file in time.changed
    ]
    return [OPEN] * open_ones + attempts + planted + changed


_MOST_DISPUTES = 10
_MOST_CLUSTERS = 5
_MOST_CASES = 6


def statistics_lines(result: RunResult) -> list[str]:
    """Rates with their intervals, all of k trials, three clocks, and what the gate can see.

    A replay has no clocks: nothing in it took the time that it takes.
    """
    found = result.statistics
    if found is None or found.mean is None or result.interrupted:
        return []
    clocks = () if result.manifest.options.get("replay") else _latency_lines(found)
    return [*_rate_lines(found), *clocks, *_gate_lines(found)]


def _rate_lines(found: RunStatistics) -> Iterator[str]:
    cases = "1 case" if found.cases_counted == 1 else f"{found.cases_counted} cases"
    text = f"mean rate {_percent(found.mean)} over {cases}"
    if _is_narrow(found.fixed):
        text += f", {_interval(found.fixed)} for these cases"
    if _is_narrow(found.sample):
        text += f", {_interval(found.sample)} for cases like them"
    yield text
    k = _trials_of_most(found)
    if k > 1:
        yield f"{_pass_at_k('pass^', k, found.pass_hat)}, {_pass_at_k('pass@', k, found.pass_at)}"


def _trials_of_most(found: RunStatistics) -> int:
    """How many valid trials most cases have; of two such numbers the larger one."""
    valid = Counter(case.rate.valid for case in found.cases if case.rate.valid)
    return max(valid, key=lambda trials: (valid[trials], trials), default=1)


def _pass_at_k(name: str, k: int, values: dict[int, tuple[float | None, int]]) -> str:
    value, undefined = values[k]
    beside = f" ({undefined} cases with fewer trials)" if undefined else ""
    return f"{name}{k} {_percent(value)}{beside}"


def _latency_lines(found: RunStatistics) -> Iterator[str]:
    clocks = (("latency", found.total), ("first byte", found.first_byte), ("in tools", found.tools))
    for name, clock in clocks:
        if clock.n:
            yield f"{name}: {clock.text}"


def _gate_lines(found: RunStatistics) -> Iterator[str]:
    if found.detectable is not None:
        points = f"{found.detectable * 100:.0f} points"
        yield f"a comparison with as many trials would see a drop of {points} (power 80 %)"


def witness_counts(result: RunResult) -> tuple[int, int, int]:
    """In how many trials witnesses were compared, agree, and could not be compared."""
    counts = Counter(each.witnesses == "" for each in result.facts if each.witnesses is not None)
    return counts.total(), counts[True], sum(bool(each.incomparable) for each in result.facts)


def witness_lines(result: RunResult) -> list[str]:
    """In how many trials the witnesses of tool calls agree, and what the others disagree about.

    Then why those of other trials cannot be compared. Empty where no trial has two that told of
    calls.
    """
    told, agreeing, _ = witness_counts(result)
    reasons = Counter(each.incomparable for each in result.facts if each.incomparable)
    unlike = [
        f"witnesses of {_trials(count)} are {reason}" for reason, count in reasons.most_common(3)
    ]
    if not told:
        return unlike
    disputed = (each for each in result.facts if each.witnesses)
    lines = [f"witnesses agree in {agreeing} of {_trials(told)}"]
    lines += [f"{each.case} trial {each.number}: {each.witnesses}"
              for each in islice(disputed, _MOST_DISPUTES)]  # fmt: skip
    more = told - agreeing - _MOST_DISPUTES
    return [*lines, *([f"and {more} more trials"] if more > 0 else []), *unlike]


def _trials(count: int) -> str:
    return f"{count} trial{'' if count == 1 else 's'}"


@dataclass(frozen=True, slots=True)
class MadeUpAnswers:
    """Answers of the mock server behind which stand only the examples of a document.

    Attributes:
        answers: All answers of the run's trials.
        methods: How many were made up, by method, the most frequent first.
        notes: Checks that were met by these alone, `EC-001 trial 1: grounding: passed ...`.
    """

    answers: int
    methods: Mapping[str, int]
    notes: tuple[str, ...]

    @property
    def text(self) -> str:
        """`7 of 40 answers were made up`; empty where none was."""
        made_up = sum(self.methods.values())
        return f"{made_up} of {self.answers} answers were made up" if made_up else ""

    @property
    def lines(self) -> list[str]:
        """The same with the methods, then a line for each check; empty where none was."""
        if not self.methods:
            return []
        named = [f"{name} {count}" for name, count in islice(self.methods.items(), _MOST_DISPUTES)]
        more, left = len(self.methods) - _MOST_DISPUTES, len(self.notes) - _MOST_DISPUTES
        named += [f"{more} more methods"] if more > 0 else []
        notes = [*self.notes[:_MOST_DISPUTES], *([f"and {left} more checks"] if left > 0 else [])]
        return [f"{self.text}: {', '.join(named)}", *notes]


def made_up_answers(result: RunResult) -> MadeUpAnswers:
    """How many answers were made up, and which checks were met by these alone."""
    methods: Counter[str] = Counter()
    answers, notes = 0, []
    for each in result.facts:
        answers += each.answers
        methods.update(each.made_up)
        notes += [f"{each.case} trial {each.number}: {note}" for note in each.notes]
    return MadeUpAnswers(answers, dict(methods.most_common()), tuple(notes))


def failure_lines(result: RunResult) -> list[str]:
    """Whose failures they are, what several cases have in common, and what judges were asked."""
    lines = []
    blamed = by_attribution(result)
    if blamed:
        told = ", ".join(f"{name} {count}" for name, count in blamed.items())
        lines.append(f"trials failed on account of: {told}")
    for cluster in result.clusters[:_MOST_CLUSTERS]:
        names = ", ".join(cluster.cases[:_MOST_CASES])
        more = len(cluster.cases) - _MOST_CASES
        names += f" and {more} more" if more > 0 else ""
        kind = cluster.kind.replace("_", " ")
        lines.append(f"alike in {len(cluster.cases)} cases: {kind} {cluster.what!r} ({names})")
    return [*lines, *judge_lines(result)]


def _percent(value: float | None) -> str:
    return "n/a" if value is None else f"{value * 100:.1f} %"


def _is_narrow(ends: tuple[float, float] | None) -> bool:
    """Where all cases had the same rate, nothing was seen that an interval could be made of."""
    return ends is not None and ends[0] < ends[1]


def _interval(ends: tuple[float, float] | None) -> str:
    if ends is None:
        return ""
    return f"{ends[0] * 100:.1f} to {ends[1] * 100:.1f} %"
