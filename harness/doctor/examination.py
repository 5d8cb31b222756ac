"""Examines a suite: which agents pass it that must not, and which that must.

It runs the doubles, a good agent, and the control trials of the cases that the agent passes, and
tries the answers to each case on the others.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from harness.agents import AgentDriver, DriverOptions, Echo, Null, build_driver
from harness.cases import count_categories, count_stages, count_tags, similar_cases
from harness.doctor.bench import Bench, Outcome
from harness.doctor.controls import Control, in_empty_world, on_base_alone, with_canaries
from harness.doctor.diagnosis import (
    RULES,
    ControlFigures,
    ControlKind,
    Coverage,
    Diagnosis,
    DriverFigures,
    Finding,
    Level,
)
from harness.doctor.findings import (
    find_gaps,
    find_indistinct,
    find_leading,
    find_never_passed,
    find_not_reached,
    find_passed_on_base,
    find_passed_on_nothing,
    find_passed_with_canaries,
    find_ungrounded,
    find_unpassable,
    find_unread_fixtures,
    find_vacuous,
    find_without_controls,
)
from harness.environment import recorded_results
from harness.errors import CaseProblem
from harness.model import Case, JsonObject, TrialRecord
from harness.runner.fixture_use import FixtureUse, tools_and_methods
from harness.verdicts import decide_trial


@dataclass(slots=True)
class Trials:
    """What a good agent did; all empty where there is none.

    Attributes:
        normal: In the cases as they are.
        on_base: Without what they add to the base.
        changed: With canaries in their worlds.
        empty: In an empty world, where neither of these says anything.
        bare: How the cases were on the base alone.
        controls: How they were with canaries.
    """

    normal: dict[str, Outcome] = field(default_factory=dict)
    on_base: dict[str, Outcome] = field(default_factory=dict)
    changed: dict[str, Outcome] = field(default_factory=dict)
    empty: dict[str, Outcome] = field(default_factory=dict)
    bare: dict[str, Control] = field(default_factory=dict)
    controls: dict[str, Control] = field(default_factory=dict)

    @property
    def control_trials(self) -> Mapping[ControlKind, Mapping[str, Outcome]]:
        """The control trials by kind."""
        return {"base-alone": self.on_base, "canaries": self.changed, "empty-world": self.empty}


async def control_trials(
    agent: AgentDriver | None,
    cases: Sequence[Case],
    worlds: Mapping[str, JsonObject],
    bench: Bench,
) -> Trials:
    """Run the cases, and the control trials of those that were passed."""
    found = Trials()
    if agent is None:
        return found
    found.normal = await bench.run_cases("agent", agent, cases)
    able = [case for case in cases if case.id in found.normal and found.normal[case.id].passed]
    found.bare = {case.id: control for case in able if (control := on_base_alone(case))}
    found.on_base = await _run_controls(bench, "base", agent, found.bare)
    await _run_canary_trials(found, able, worlds, agent=agent, bench=bench)
    nothing = {
        case.id: control
        for case in able
        if not _is_conclusive(found, case.id)
        and (control := in_empty_world(case, worlds.get(case.id, {})))
    }
    found.empty = await _run_controls(bench, "empty", agent, nothing)
    return found


async def _run_canary_trials(
    found: Trials,
    able: Sequence[Case],
    worlds: Mapping[str, JsonObject],
    *,
    agent: AgentDriver,
    bench: Bench,
) -> None:
    for identifiers in (False, True):  # where a world has no other words, its own stay
        left = [
            case
            for case in able
            if case.id not in found.changed or not found.changed[case.id].was_reached
        ]
        again = {
            case.id: control
            for case in left
            if (control := with_canaries(case, worlds.get(case.id, {}), identifiers=identifiers))
        }
        found.controls |= again
        found.changed |= await _run_controls(bench, "canaries", agent, again)


def _is_conclusive(found: Trials, id: str) -> bool:
    return any(id in seen and seen[id].was_reached for seen in (found.on_base, found.changed))


async def _run_controls(
    bench: Bench, name: str, agent: AgentDriver, controls: Mapping[str, Control]
) -> dict[str, Outcome]:
    return await bench.run_cases(
        name,
        agent,
        [control.case for control in controls.values()],
        layers={id: control.layers for id, control in controls.items()},
    )


MOST_OTHERS = 40
"""A case is held against so many others at most, spread evenly over the suite."""


def confused_with(
    cases: Sequence[Case], records: Mapping[str, TrialRecord]
) -> dict[str, tuple[tuple[str, ...], int]]:
    """By case: the cases whose records pass it, and how many were tried.

    Args:
        cases: The cases, in suite order.
        records: A record of each that has one in which the agent did well.
    """
    found: dict[str, tuple[tuple[str, ...], int]] = {}
    for case in cases:
        others = _spread_evenly(
            [each for each in cases if each.id in records and each.id != case.id]
        )
        same = [each.id for each in others if decide_trial(case, records[each.id]).status == "pass"]
        found[case.id] = (tuple(same), len(others))
    return found


def _spread_evenly(cases: Sequence[Case]) -> Sequence[Case]:
    if len(cases) <= MOST_OTHERS:
        return cases
    return [cases[number * len(cases) // MOST_OTHERS] for number in range(MOST_OTHERS)]


_LEVELS = ("error", "warning", "note")
_OF_FILES: Mapping[str, Level] = {"error": "error", "hint": "note"}
_ORACLE = "oracle"

Counts = Mapping[str, tuple[int, int]]
"""Case id to passed and valid trials."""


@dataclass(frozen=True, slots=True)
class ExaminedSuite:
    """What is examined.

    Attributes:
        suite: The suite as it was named.
        cases: Its cases.
        problems: What is wrong in its files.
        agent: A good agent, or None: the oracle alone.
        agent_name: Its spec, secrets replaced.
        earlier: What came of earlier runs.
    """

    suite: str
    cases: Sequence[Case]
    problems: Sequence[CaseProblem] = ()
    agent: AgentDriver | None = None
    agent_name: str = ""
    earlier: Sequence[Counts] = ()


@dataclass(frozen=True, slots=True)
class _DoubleTrials:
    null: dict[str, Outcome]
    echo: dict[str, Outcome]
    oracle: dict[str, Outcome]
    bare: dict[str, Outcome]
    worlds: dict[str, JsonObject]


async def examine(suite: ExaminedSuite, bench: Bench) -> Diagnosis:
    """Run the doubles, the agent and the control trials, and say what they show.

    Raises:
        InfrastructureError: The mock server does not answer.
    """
    doubles = await _run_doubles(suite.cases, bench)
    agent = await control_trials(suite.agent, suite.cases, doubles.worlds, bench)
    tools = await bench.tools(suite.cases[0]) if suite.cases else ()
    folder = bench.suite.path
    coverage = _coverage(folder, suite.cases, doubles, agent)
    findings = [
        *_file_findings(suite.problems),
        *_double_findings(suite, doubles, agent),
        *_agent_findings(suite, agent),
        *find_gaps(coverage, tools),
    ]
    return Diagnosis(
        suite=suite.suite,
        cases=len(suite.cases),
        drivers=tuple(_figures(suite, doubles, agent)),
        controls=tuple(_controls(suite, agent)),
        coverage=coverage,
        findings=_by_case(findings, suite.cases),
    )


def _by_case(findings: Sequence[Finding], cases: Sequence[Case]) -> tuple[Finding, ...]:
    """What concerns the suite, then case by case in its order; errors first, then by rule."""
    rules = {rule: number for number, rule in enumerate(RULES)}
    places = {case.id: number for number, case in enumerate(cases, start=1)}
    last = len(places) + 1  # a case that could not be read, or that was not asked for

    def place(each: Finding) -> tuple[int, str, int, int]:
        where = places.get(each.case, last) if each.case else 0
        return where, each.case, _LEVELS.index(each.level), rules[each.rule]

    return tuple(sorted(findings, key=place))


async def _run_doubles(cases: Sequence[Case], bench: Bench) -> _DoubleTrials:
    oracle = build_driver(_ORACLE, DriverOptions())
    played = [case for case in cases if case.reference]
    bare = [
        control.case for case in played if _is_served(case) and (control := on_base_alone(case))
    ]
    try:
        return _DoubleTrials(
            null=await bench.run_cases("null", Null(), cases),
            echo=await bench.run_cases("echo", Echo(), cases),
            oracle=await bench.run_cases("oracle", oracle, played, frozen=True),
            bare=await bench.run_cases("bare", oracle, bare, frozen=True),
            worlds=await bench.worlds(cases),
        )
    finally:
        await oracle.close()


def _is_served(case: Case) -> bool:
    """Whether what a case adds to the base is the server's to tell; its files are not."""
    fixtures = case.fixtures
    return bool(fixtures.overrides or fixtures.faults or fixtures.cassettes)


def _file_findings(problems: Iterable[CaseProblem]) -> Iterable[Finding]:
    for item in problems:
        level = _OF_FILES.get(item.level, "warning")
        yield Finding(rule="lint", level=level, case=item.case, message=item.about_its_case)


def _double_findings(
    suite: ExaminedSuite, doubles: _DoubleTrials, agent: Trials
) -> Iterable[Finding]:
    cases = suite.cases
    yield from find_vacuous(doubles.null, "says nothing")
    yield from find_vacuous(doubles.echo, "repeats the prompt")
    yield from find_leading(cases, doubles.echo)
    yield from find_unpassable(cases, doubles.oracle, agent.normal)
    yield from find_not_reached(doubles.oracle, _ORACLE)
    yield from find_unread_fixtures(doubles.oracle, doubles.bare)
    yield from find_ungrounded(cases, doubles.oracle)
    good = {**_passed_trials(agent.normal), **_passed_trials(doubles.oracle)}
    confused = confused_with(cases, {id: seen.record for id, seen in good.items()})
    yield from find_indistinct(confused, _twins(cases, doubles.worlds))


def _twins(cases: Sequence[Case], worlds: Mapping[str, JsonObject]) -> dict[str, list[str]]:
    """By case: earlier ones that expect the same in the same world and ask something else."""
    found: dict[str, list[str]] = {}
    for one, other, same in similar_cases(cases, worlds):
        if not same:
            found.setdefault(other.id, []).append(one.id)
    return found


def _agent_findings(suite: ExaminedSuite, agent: Trials) -> Iterable[Finding]:
    name = suite.agent_name
    yield from find_not_reached(agent.normal, name)
    yield from find_never_passed(suite.cases, [_trial_counts(agent.normal), *suite.earlier])
    yield from find_passed_on_base(agent.on_base, agent.bare, name)
    yield from find_passed_with_canaries(agent.changed, agent.controls, name)
    yield from find_passed_on_nothing(agent.empty, agent.normal, suite.cases, name)
    able = [case for case in suite.cases if case.id in _passed_trials(agent.normal)]
    asked = {id for seen in agent.control_trials.values() for id in seen if seen[id].was_reached}
    distinct = {case.id for case in able if case.request is not None}
    yield from find_without_controls(able, asked | distinct, agent.changed)


def _coverage(
    folder: Path, cases: Sequence[Case], doubles: _DoubleTrials, agent: Trials
) -> Coverage:
    reading, touches = FixtureUse(), []
    for case in cases:
        reading.add_world(doubles.worlds.get(case.id, {}))
        reading.add_world(recorded_results(folder, case))
    for case in cases:
        records = [
            seen[case.id].record for seen in (doubles.oracle, agent.normal) if case.id in seen
        ]
        reading.note_expected(case)
        for record in records:
            reading.note_sent(record)
        touches.append(tools_and_methods(records))
    return Coverage(
        categories=count_categories(cases),
        stages=count_stages(cases),
        tags=count_tags(cases),
        kinds=_count_sets({item.kind for item in case.expect} for case in cases),
        tools=_count_sets(tools for tools, _ in touches),
        routes=_count_sets(routes for _, routes in touches),
        fixtures=reading.fixtures(),
    )


def _figures(
    suite: ExaminedSuite, doubles: _DoubleTrials, agent: Trials
) -> Iterable[DriverFigures]:
    drivers = [("null", doubles.null), ("echo", doubles.echo), (_ORACLE, doubles.oracle)]
    if suite.agent is not None:
        drivers.append((suite.agent_name, agent.normal))
    for name, seen in drivers:
        asked = sum(trial.was_reached for trial in seen.values())
        yield DriverFigures(agent=name, passed=len(_passed_trials(seen)), asked=asked)


def _controls(suite: ExaminedSuite, agent: Trials) -> Iterable[ControlFigures]:
    if suite.agent is None:
        return
    for kind, seen in agent.control_trials.items():
        made = sum(trial.was_reached for trial in seen.values())
        yield ControlFigures(
            kind=kind,
            agent=suite.agent_name,
            made=made,
            passed=len(_passed_trials(seen)),
            unusable=len(seen) - made,
        )


def _passed_trials(seen: Mapping[str, Outcome]) -> dict[str, Outcome]:
    return {id: trial for id, trial in seen.items() if trial.passed}


def _trial_counts(seen: Mapping[str, Outcome]) -> dict[str, tuple[int, int]]:
    return {id: (int(trial.passed), int(trial.was_reached)) for id, trial in seen.items()}


def _count_sets(sets: Iterable[Iterable[str]]) -> dict[str, int]:
    """In how many of the sets each item is, most first."""
    counts: dict[str, int] = {}
    for each in sets:
        for item in each:
            counts[item] = counts.get(item, 0) + 1
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))
