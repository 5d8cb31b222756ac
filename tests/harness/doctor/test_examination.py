from collections.abc import Iterable

from harness.cases import Suite
from harness.doctor import Bench, Diagnosis, ExaminedSuite, examine
from harness.doctor.diagnosis import Rule
from harness.doctor.examination import MOST_OTHERS, Trials, confused_with, control_trials
from harness.errors import CaseProblem
from harness.model import TextContains
from tests.harness.doctor.conftest import Looking
from tests.harness.records import case, record


def found(diagnosis: Diagnosis, *rules: Rule) -> set[tuple[str, str, str]]:
    return {(item.rule, item.level, item.case) for item in diagnosis.findings if item.rule in rules}


def named(rule: str, level: str, cases: Iterable[str]) -> set[tuple[str, str, str]]:
    return {(rule, level, case) for case in cases}


async def test_every_fault_of_a_suite_is_found_and_named(bench: Bench, sick: Suite) -> None:
    """CEP-61, CEP-62, CEP-68..71, pitfall 19: vacuous, leading, unpassable, proving nothing."""
    problems = [CaseProblem("a", "b"), CaseProblem("c", "d", level="hint")]
    patient = ExaminedSuite("sick", sick.cases, problems, Looking(), "looking")
    diagnosis = await examine(patient, bench)
    assert found(diagnosis, "vacuous") == named("vacuous", "error", ["VACUOUS"])
    assert found(diagnosis, "leading") == {
        ("leading", "error", "LEADING"), ("leading", "warning", "HALFLED"),
    }  # fmt: skip
    assert found(diagnosis, "unpassable") == named("unpassable", "error", ["BROKEN"])
    assert found(diagnosis, "no-reference") == named("no-reference", "error", ["UNPROVEN"])
    assert found(diagnosis, "base-alone") == {
        ("base-alone", "error", "IDLE"), ("base-alone", "warning", "LIVES"),
    }  # fmt: skip
    assert found(diagnosis, "canaries") == set()
    assert found(diagnosis, "empty-world") == named(
        "empty-world", "warning", ["VACUOUS", "NEEDLESS"]
    )
    assert found(diagnosis, "unread") == named("unread", "warning", ["IDLE", "LIVES"])
    assert found(diagnosis, "ungrounded") == named("ungrounded", "warning", ["HALFLED"])
    assert ("indistinct", "error", "VACUOUS") in found(diagnosis, "indistinct")
    assert found(diagnosis, "suspect") == named(
        "suspect", "warning", ["LEADING", "HALFLED", "BROKEN", "UNPROVEN"]
    )
    assert found(diagnosis, "lint") == {("lint", "error", ""), ("lint", "note", "")}
    order = ["", *(case.id for case in sick.cases)]
    places = [
        (order.index(each.case), ["error", "warning", "note"].index(each.level))
        for each in diagnosis.findings
    ]
    assert places == sorted(places)


async def test_figures_and_coverage_are_those_of_the_trials(bench: Bench, sick: Suite) -> None:
    diagnosis = await examine(ExaminedSuite("sick", sick.cases, (), Looking(), "looking"), bench)
    figures = {each.agent: (each.passed, each.asked) for each in diagnosis.drivers}
    assert figures == {"null": (1, 9), "echo": (1, 9), "oracle": (7, 8), "looking": (5, 9)}
    made = {each.kind: (each.passed, each.made, each.unusable) for each in diagnosis.controls}
    assert made == {"base-alone": (2, 3, 0), "canaries": (0, 3, 0), "empty-world": (2, 2, 0)}
    coverage = diagnosis.coverage
    assert coverage.categories == {"dlp": 4, "policy": 3, "system": 2}
    assert coverage.stages["regression"] == 2
    assert coverage.tools == {"listOrgUnits": 8}
    assert coverage.kinds["evidence"] == 5
    assert {each.collection for each in coverage.fixtures} == {"customer", "orgUnits"}
    gaps = [finding.message for finding in diagnosis.findings if finding.rule == "gap"]
    assert any("tools that no agent calls: " in message for message in gaps)
    assert any("no case is tagged new-path" in message for message in gaps)


async def test_an_agent_that_knows_the_answers_by_heart_is_found_by_canaries(
    bench: Bench, sick: Suite
) -> None:
    sound = [case for case in sick.cases if case.id == "SOUND"]
    agent = Looking({"SOUND": "id:03ph8a2z1labora"})
    diagnosis = await examine(ExaminedSuite("sick", sound, (), agent, "parrot"), bench)
    assert found(diagnosis, "canaries") == named("canaries", "error", ["SOUND"])
    assert found(diagnosis, "base-alone") == named("base-alone", "error", ["SOUND"])


async def test_an_agent_that_is_not_there_decides_nothing(bench: Bench, sick: Suite) -> None:
    sound = [case for case in sick.cases if case.id == "SOUND"]
    agent = Looking({"SOUND": "unreachable"})
    diagnosis = await examine(ExaminedSuite("sick", sound, (), agent, "gone"), bench)
    assert found(diagnosis, "not-asked", "suspect") == named("not-asked", "error", ["SOUND"])


async def test_without_an_agent_the_doubles_alone_are_asked(bench: Bench, sick: Suite) -> None:
    earlier = [{"SOUND": (0, 3)}, {"SOUND": (0, 2), "IDLE": (1, 2)}]
    diagnosis = await examine(ExaminedSuite("sick", sick.cases[:1], (), earlier=earlier), bench)
    assert [each.agent for each in diagnosis.drivers] == ["null", "echo", "oracle"]
    assert diagnosis.controls == ()
    (suspect,) = [finding for finding in diagnosis.findings if finding.rule == "suspect"]
    assert suspect.message.startswith("0 of 5 trials of 2 drivers and runs passed")


async def test_a_suite_without_cases_has_nothing(bench: Bench) -> None:
    diagnosis = await examine(ExaminedSuite("empty", ()), bench)
    assert [finding for finding in diagnosis.findings if finding.level != "note"] == []


async def test_only_cases_that_were_passed_are_controlled(bench: Bench, sick: Suite) -> None:
    worlds = await bench.worlds(sick.cases)
    found = await control_trials(Looking({"LIVES": "no idea"}), sick.cases, worlds, bench)
    assert set(found.normal) == {case.id for case in sick.cases}
    assert set(found.on_base) == {"SOUND", "IDLE"}
    assert set(found.changed) == {"SOUND", "IDLE"}
    assert set(found.empty) == {"VACUOUS", "NEEDLESS"}
    passed = {
        kind: [id for id, trial in seen.items() if trial.passed]
        for kind, seen in found.control_trials.items()
    }
    assert passed == {
        "base-alone": ["IDLE"], "canaries": [], "empty-world": ["VACUOUS", "NEEDLESS"],
    }  # fmt: skip


async def test_a_world_that_refuses_other_words_keeps_its_own(bench: Bench, sick: Suite) -> None:
    case = next(case for case in sick.cases if case.id == "SOUND")
    token = {"tokenId": "tok-12345678", "token": "t", "status": "Expired_1"}
    worlds = {"SOUND": {"enrollmentTokens": [token | {"status": "expired"}]}}
    told = case.expect[0].model_copy(update={"markers": ("eXpired", "tok-12345678")})
    agent = Looking({"SOUND": "eXpired tok-12345678"})
    found = await control_trials(
        agent, [case.model_copy(update={"expect": (told,)})], worlds, bench
    )
    assert dict(found.controls["SOUND"].changed).keys() == {"tok-12345678"}
    assert found.changed["SOUND"].passed


async def test_without_an_agent_nothing_is_run(bench: Bench, sick: Suite) -> None:
    assert await control_trials(None, sick.cases, {}, bench) == Trials()


def test_a_case_that_other_answers_pass_names_them() -> None:
    loose = case(TextContains(needles=("unit",)), id="LOOSE")
    strict = case(TextContains(needles=("unit seven",)), id="STRICT")
    records = {
        "LOOSE": record("a unit", case="LOOSE"),
        "STRICT": record("unit seven", case="STRICT"),
    }
    assert confused_with([loose, strict], records) == {
        "LOOSE": (("STRICT",), 1),
        "STRICT": ((), 1),
    }


def test_a_large_suite_is_sampled_evenly() -> None:
    cases = [case(TextContains(needles=("a",)), id=f"C-{number}") for number in range(101)]
    records = {each.id: record("b", case=each.id) for each in cases}
    assert {tried for _, tried in confused_with(cases, records).values()} == {MOST_OTHERS}
