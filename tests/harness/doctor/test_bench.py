import pytest

from harness.agents import Null
from harness.cases import Suite
from harness.doctor import Bench
from tests.harness.doctor.conftest import Looking


@pytest.mark.slow
async def test_each_case_is_tried_once_and_decided(bench: Bench, sick: Suite) -> None:
    seen = await bench.run_cases("looking", Looking({"BROKEN": "unreachable"}), sick.cases)
    assert list(seen) == [case.id for case in sick.cases]
    assert {id for id, trial in seen.items() if trial.passed} == {
        "SOUND", "VACUOUS", "IDLE", "LIVES", "NEEDLESS",
    }  # fmt: skip
    assert [id for id, trial in seen.items() if not trial.was_reached] == ["BROKEN"]


async def test_a_layer_lies_over_the_snapshot_of_its_case_alone(bench: Bench, sick: Suite) -> None:
    cases = [case for case in sick.cases if case.id in {"SOUND", "IDLE"}]
    seen = await bench.run_cases("layers", Looking(), cases, layers={"SOUND": ({"orgUnits": []},)})
    assert {id: trial.passed for id, trial in seen.items()} == {"SOUND": False, "IDLE": True}


async def test_worlds_and_tools_are_those_of_the_case(bench: Bench, sick: Suite) -> None:
    worlds = await bench.worlds(sick.cases[:2])
    assert [len(worlds[case.id]["orgUnits"]) for case in sick.cases[:2]] == [1, 1]
    assert worlds["SOUND"]["orgUnits"][0]["name"] == "Laboratory"
    assert "listOrgUnits" in await bench.tools(sick.cases[0])


async def test_nothing_is_begun_after_a_stop(bench: Bench, sick: Suite) -> None:
    bench.stop.set()
    assert len(await bench.run_cases("stopped", Null(), sick.cases)) < len(sick.cases)
