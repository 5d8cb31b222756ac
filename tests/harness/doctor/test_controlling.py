from harness.cases import Suite
from harness.doctor import Bench
from harness.doctor.controlling import Trials, control_trials
from tests.harness.doctor.conftest import Looking


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
