"""Examines a suite: which agents pass it that must not, and which that must."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from harness.agents import AgentDriver, DriverOptions, Echo, Null, build_driver
from harness.cases import alike, count_categories, count_stages, count_tags
from harness.doctor.bench import Bench, Seen
from harness.doctor.controlling import Trials, control_trials
from harness.doctor.controls import on_base_alone
from harness.doctor.crossing import confused_with
from harness.doctor.diagnosis import (
    RULES,
    ControlFigures,
    Coverage,
    Diagnosis,
    DriverFigures,
    Finding,
    Level,
)
from harness.doctor.proofs import (
    passed_on_base,
    passed_on_nothing,
    passed_with_canaries,
    uncontrolled,
    unread,
)
from harness.doctor.reading import Reading, counted, touched
from harness.doctor.symptoms import (
    gaps,
    indistinct,
    leading,
    not_asked,
    suspect,
    ungrounded,
    unpassable,
    vacuous,
)
from harness.errors import CaseProblem
from harness.model import Case, JsonObject

_LEVELS = ("error", "warning", "note")
_OF_FILES: Mapping[str, Level] = {"error": "error", "hint": "note"}
_ORACLE = "oracle"

Counts = Mapping[str, tuple[int, int]]
"""Case id to passed and valid trials."""


@dataclass(frozen=True, slots=True)
class Patient:
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
class _Doubles:
    null: dict[str, Seen]
    echo: dict[str, Seen]
    oracle: dict[str, Seen]
    bare: dict[str, Seen]
    worlds: dict[str, JsonObject]


async def examine(patient: Patient, bench: Bench) -> Diagnosis:
    """Run the doubles, the agent and the control trials, and say what they show.

    Raises:
        InfrastructureError: The mock server does not answer.
    """
    doubles = await _doubles(patient.cases, bench)
    agent = await control_trials(patient.agent, patient.cases, doubles.worlds, bench)
    tools = await bench.tools(patient.cases[0]) if patient.cases else ()
    coverage = _coverage(patient.cases, doubles, agent)
    findings = [
        *_of_files(patient.problems),
        *_of_doubles(patient, doubles, agent),
        *_of_agent(patient, agent),
        *gaps(coverage, tools),
    ]
    return Diagnosis(
        suite=patient.suite,
        cases=len(patient.cases),
        drivers=tuple(_figures(patient, doubles, agent)),
        controls=tuple(_controls(patient, agent)),
        coverage=coverage,
        findings=_by_case(findings, patient.cases),
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


async def _doubles(cases: Sequence[Case], bench: Bench) -> _Doubles:
    oracle = build_driver(_ORACLE, DriverOptions())
    played = [case for case in cases if case.reference]
    bare = [
        control.case for case in played if _is_served(case) and (control := on_base_alone(case))
    ]
    try:
        return _Doubles(
            null=await bench.put("null", Null(), cases),
            echo=await bench.put("echo", Echo(), cases),
            oracle=await bench.put("oracle", oracle, played, frozen=True),
            bare=await bench.put("bare", oracle, bare, frozen=True),
            worlds=await bench.worlds(cases),
        )
    finally:
        await oracle.close()


def _is_served(case: Case) -> bool:
    """Whether what a case adds to the base is the server's to tell; its files are not."""
    fixtures = case.fixtures
    return bool(fixtures.overrides or fixtures.faults or fixtures.cassettes)


def _of_files(problems: Iterable[CaseProblem]) -> Iterable[Finding]:
    for item in problems:
        level = _OF_FILES.get(item.level, "warning")
        yield Finding(rule="lint", level=level, case=item.case, message=item.about_its_case)


def _of_doubles(patient: Patient, doubles: _Doubles, agent: Trials) -> Iterable[Finding]:
    cases = patient.cases
    yield from vacuous(doubles.null, "says nothing")
    yield from vacuous(doubles.echo, "repeats the prompt")
    yield from leading(cases, doubles.echo)
    yield from unpassable(cases, doubles.oracle, agent.normal)
    yield from not_asked(doubles.oracle, _ORACLE)
    yield from unread(doubles.oracle, doubles.bare)
    yield from ungrounded(cases, doubles.oracle)
    good = {**_passed(agent.normal), **_passed(doubles.oracle)}
    confused = confused_with(cases, {id: seen.record for id, seen in good.items()})
    yield from indistinct(confused, _twins(cases, doubles.worlds))


def _twins(cases: Sequence[Case], worlds: Mapping[str, JsonObject]) -> dict[str, list[str]]:
    """By case: earlier ones that expect the same in the same world and ask something else."""
    found: dict[str, list[str]] = {}
    for one, other, same in alike(cases, worlds):
        if not same:
            found.setdefault(other.id, []).append(one.id)
    return found


def _of_agent(patient: Patient, agent: Trials) -> Iterable[Finding]:
    name = patient.agent_name
    yield from not_asked(agent.normal, name)
    yield from suspect(patient.cases, [_counts(agent.normal), *patient.earlier])
    yield from passed_on_base(agent.on_base, agent.bare, name)
    yield from passed_with_canaries(agent.changed, agent.controls, name)
    yield from passed_on_nothing(agent.empty, agent.normal, patient.cases, name)
    able = [case for case in patient.cases if case.id in _passed(agent.normal)]
    asked = {id for seen in agent.control_trials.values() for id in seen if seen[id].asked}
    distinct = {case.id for case in able if case.request is not None}
    yield from uncontrolled(able, asked | distinct, agent.changed)


def _coverage(cases: Sequence[Case], doubles: _Doubles, agent: Trials) -> Coverage:
    reading, touches = Reading(), []
    for case in cases:
        records = [
            seen[case.id].record for seen in (doubles.oracle, agent.normal) if case.id in seen
        ]
        reading.add(doubles.worlds.get(case.id, {}), records)
        touches.append(touched(records))
    return Coverage(
        categories=count_categories(cases),
        stages=count_stages(cases),
        tags=count_tags(cases),
        kinds=counted({item.kind for item in case.expect} for case in cases),
        tools=counted(tools for tools, _ in touches),
        routes=counted(routes for _, routes in touches),
        fixtures=reading.coverage(),
    )


def _figures(patient: Patient, doubles: _Doubles, agent: Trials) -> Iterable[DriverFigures]:
    drivers = [("null", doubles.null), ("echo", doubles.echo), (_ORACLE, doubles.oracle)]
    if patient.agent is not None:
        drivers.append((patient.agent_name, agent.normal))
    for name, seen in drivers:
        asked = sum(trial.asked for trial in seen.values())
        yield DriverFigures(agent=name, passed=len(_passed(seen)), asked=asked)


def _controls(patient: Patient, agent: Trials) -> Iterable[ControlFigures]:
    if patient.agent is None:
        return
    for kind, seen in agent.control_trials.items():
        made = sum(trial.asked for trial in seen.values())
        yield ControlFigures(
            kind=kind,
            agent=patient.agent_name,
            made=made,
            passed=len(_passed(seen)),
            unusable=len(seen) - made,
        )


def _passed(seen: Mapping[str, Seen]) -> dict[str, Seen]:
    return {id: trial for id, trial in seen.items() if trial.passed}


def _counts(seen: Mapping[str, Seen]) -> dict[str, tuple[int, int]]:
    return {id: (int(trial.passed), int(trial.asked)) for id, trial in seen.items()}
