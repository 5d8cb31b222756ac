from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from harness.cli import run_preparation
from harness.cli.run_options import RunOptions
from harness.cli.run_preparation import (
    PreparedRun,
    driver_options,
    environment_of,
    fixture_switches,
    headers_of,
    intercepts,
    is_service,
    new_settings,
    prepare_resumed,
    run_warnings,
    select_run_cases,
    trial_count,
    with_registered_suite,
    with_service,
    with_suite,
)
from harness.errors import HarnessError
from harness.model import Case, Fixtures, Turn
from harness.runner import RunSettings
from harness.storage import RegisteredSuite, RegisteredSuites
from tests.harness.records import case
from tests.harness.reviews import PUBLISHED


def now() -> datetime:
    return datetime(2026, 11, 20, 10, 15, tzinfo=UTC)


def prepare_new(options: RunOptions) -> PreparedRun:
    return run_preparation.prepare_new(select_run_cases(options))


def ids(prepared: Any) -> list[str]:
    return [case.id for case in prepared.cases]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param({}, (True, True), id="nothing"),
        pytest.param({"use_base": True}, (True, False), id="only the base"),
        pytest.param({"use_fixtures": True}, (False, True), id="only the overrides"),
        pytest.param({"use_base": True, "use_fixtures": True}, (True, True), id="both"),
        pytest.param({"use_base": False}, (False, True), id="no base"),
        pytest.param({"use_fixtures": False}, (True, False), id="no overrides"),
        pytest.param({"fixtures": True}, (True, True), id="all"),
        pytest.param({"fixtures": False}, (False, False), id="none"),
    ],
)
def test_each_switch_loads_its_own_part_only(given: Any, expected: tuple[bool, bool]) -> None:
    """CEP-14, CEP-22, CEP-23, CEPR-32."""
    assert fixture_switches(RunOptions(**given)) == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param({}, ["T-001", "T-002"], id="all"),
        pytest.param({"ids": "T-002, "}, ["T-002"], id="ids"),
        pytest.param({"category": "policy"}, ["T-001"], id="category"),
        pytest.param({"tags": "writes"}, ["T-002"], id="tags"),
        pytest.param({"limit": 1}, ["T-001"], id="limit"),
        pytest.param({"tags": "units", "category": "devices"}, ["T-002"], id="combined"),
    ],
)
def test_filters_combine(office: Path, tmp_path: Path, given: Any, expected: list[str]) -> None:
    """CEP-25, CEP-26, CEP-27, CEP-28, CEP-33, CEP-59."""
    prepared = prepare_new(RunOptions(suite=office, agent="echo", run_dir=tmp_path, **given))
    assert ids(prepared) == expected


def test_overrides_that_are_not_loaded_are_warned_of(office: Path, tmp_path: Path) -> None:
    options = RunOptions(suite=office, agent="command:ls", run_dir=tmp_path, use_base=True)
    said = " ".join(prepare_new(options).warnings)
    assert "not loaded: T-001; give --use-fixtures" in said
    assert "T-002: a command gets each turn alone" in said
    other = RunOptions(suite=office, agent="echo", run_dir=tmp_path, use_fixtures=True)
    assert "base fixtures are not loaded" in " ".join(prepare_new(other).warnings)
    assert prepare_new(RunOptions(suite=office, agent="echo", run_dir=tmp_path)).warnings == ()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        pytest.param({"suite": None}, "no suite", id="no suite"),
        pytest.param({"ids": "T-01"}, "did you mean 'T-001'", id="typo"),
        pytest.param(
            {"ids": "T-001", "category": "devices"}, "no case is selected", id="nothing left"
        ),
        pytest.param({"trials": 0}, "--trials is 0", id="no trials"),
        pytest.param({"timeout": 0.0}, "--timeout is 0", id="no time"),
        pytest.param({"policy": "some"}, "unknown policy", id="policy"),
        pytest.param({"header": ["X"]}, "Name: value", id="header"),
        pytest.param({"env": ["NO_SUCH_VARIABLE"]}, "no such variable", id="variable"),
        pytest.param({"prompt_template": "hi"}, "no {prompt}", id="template"),
        pytest.param({"prompt_template": "@none.txt"}, "cannot read", id="template file"),
        pytest.param({"inject": True}, "takes no injected fixtures", id="injection"),
    ],
)
def test_what_makes_no_sense_is_refused_before_anything_is_written(
    office: Path, tmp_path: Path, given: Any, said: str
) -> None:
    """Pitfall 7: exit 2 and a hint."""
    options = {"suite": office, "agent": "echo", "run_dir": tmp_path / "runs", **given}
    with pytest.raises(HarnessError) as raised:
        prepare_new(RunOptions(**options))
    assert said in str(raised.value)
    assert raised.value.exit_code == 2
    assert not (tmp_path / "runs").exists()


def test_settings_follow_the_options(tmp_path: Path) -> None:
    """CEP-15, CEP-29: injection is on for the chat application; serial is one at a time."""
    template = tmp_path / "template.txt"
    template.write_text("Q: {prompt}", encoding="utf-8")
    assert new_settings(RunOptions()).inject
    assert not new_settings(RunOptions(agent="echo")).inject
    assert not new_settings(RunOptions(test_mode=True)).inject
    assert new_settings(RunOptions(agent="echo", serial=True)).concurrency == 1
    assert new_settings(RunOptions(agent="echo", concurrency=9)).concurrency == 9
    made = new_settings(RunOptions(agent="echo", prompt_template=f"@{template}", header=["X-A: 1"]))
    assert (made.template, made.header_names) == ("Q: {prompt}", ("X-A",))


def test_headers_and_variables_are_read() -> None:
    options = RunOptions(header=["X-A: a:b"], env=["A", "B=x=y"], token="t", retries=5)
    assert headers_of(options) == {"X-A": "a:b"}
    assert environment_of(options, {"A": "1"}) == {"A": "1", "B": "x=y"}
    assert driver_options(RunOptions(token="t", retries=5)).retries == 5


def test_a_resumed_run_keeps_what_it_was(office: Path, tmp_path: Path) -> None:
    options = RunOptions(suite=office, agent="echo", run_dir=tmp_path, trials=4, ids="T-002")
    folder = prepare_new(options).open(now)
    for named in (folder.path.name, str(folder.path)):
        again = prepare_resumed(RunOptions(resume=named, run_dir=tmp_path, serial=True), {"serial"})
        assert (ids(again), again.agent) == (["T-002"], "echo")
        assert (again.settings.trials, again.settings.concurrency) == (4, 1)
        assert again.open(now).path == folder.path


@pytest.mark.parametrize(
    ("given", "said"),
    [
        pytest.param({"trials": 9}, "keeps its own --trials", id="other trials"),
        pytest.param({"agent": "null"}, "is of agent", id="other agent"),
        pytest.param({"resume": "none"}, "is no run directory", id="no run"),
        pytest.param({}, "--header X-Key are not kept", id="secret header"),
    ],
)
def test_a_resumed_run_cannot_become_another(
    office: Path, tmp_path: Path, given: Any, said: str
) -> None:
    header = [] if "agent" in given else ["X-Key: secret"]
    options = RunOptions(suite=office, agent="echo", run_dir=tmp_path, header=header)
    name = prepare_new(options).open(now).path.name
    with pytest.raises(HarnessError, match=said):
        prepare_resumed(RunOptions(**{"resume": name, "run_dir": tmp_path, **given}), set(given))


def test_a_spec_with_a_secret_is_given_again(office: Path, tmp_path: Path) -> None:
    agent = "command:run --token abc"
    first = prepare_new(RunOptions(suite=office, agent=agent, run_dir=tmp_path)).open(now)
    assert "abc" not in (first.path / "manifest.json").read_text(encoding="utf-8")
    with pytest.raises(HarnessError, match="not kept"):
        prepare_resumed(RunOptions(resume=str(first.path)), set())
    again = prepare_resumed(RunOptions(resume=str(first.path), agent=agent), {"agent"})
    assert again.agent == agent


@pytest.mark.parametrize(
    "given",
    [
        {"agent": "http:http://localhost:1/"},
        {"agent": "oracle"},
        {"agent": "command:x", "mock": "http://localhost:1"},
        {"agent": "command:x", "manage_server": False},
        {"agent": "python:a:b", "isolate": False},
    ],
    ids=str,
)
def test_only_an_environment_of_a_session_can_lead_to_its_proxy(given: Any) -> None:
    with pytest.raises(HarnessError, match="--intercept needs"):
        new_settings(RunOptions(intercept=True, **given))
    for agent in ("command:x", "python:a:b"):
        assert intercepts(RunOptions(agent=agent), Path(), replay=True, isolate=True)
        new_settings(RunOptions(intercept=True, agent=agent))


@pytest.mark.parametrize(
    ("given", "suite", "expected"),
    [
        ({"agent": "command:x"}, "travel", True),
        ({"agent": "python:a:b"}, "travel", True),
        ({"agent": "python:a:b", "intercept": False}, "travel", False),
        ({"agent": "http:http://localhost:1/"}, "travel", False),
        ({"agent": "command:x"}, "chrome-enterprise", False),
        ({"agent": "command:x", "intercept": True}, "chrome-enterprise", True),
        ({"agent": "command:x", "tunnel": ["model.example"]}, "chrome-enterprise", True),
        ({"agent": "command:x"}, "nowhere", False),
    ],
    ids=str,
)
def test_agents_are_led_by_default_where_the_suite_declares_hosts(
    given: Any, suite: str, expected: bool
) -> None:
    found = intercepts(RunOptions(**given), Path("fixtures", suite), replay=False, isolate=True)
    assert found is expected


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"agent": "command:x", "replay": True}, "a replay reaches no live host"),
        ({"agent": "command:x", "intercept": False}, "--no-intercept leads nobody"),
        ({"agent": "oracle"}, "--tunnel needs a session's own environment"),
    ],
    ids=str,
)
def test_a_tunnel_is_for_agents_that_are_led(given: Any, says: str) -> None:
    with pytest.raises(HarnessError, match=says):
        new_settings(RunOptions(tunnel=["model.example"], **given))


@pytest.mark.parametrize(
    ("given", "ci", "made_up"),
    [
        ({}, "", True),
        ({}, "false", True),
        ({}, "true", False),
        ({"made_up": True}, "true", True),
        ({"made_up": False}, "", False),
        ({"replay": True}, "", False),
    ],
    ids=str,
)
def test_answers_are_made_up_but_in_ci_and_in_replays(
    monkeypatch: pytest.MonkeyPatch, given: Any, ci: str, made_up: bool
) -> None:
    monkeypatch.setenv("CI", ci)
    assert new_settings(RunOptions(agent="oracle", **given)).made_up is made_up


def test_a_replay_makes_no_answers_up() -> None:
    with pytest.raises(HarnessError, match="a replay makes no answers up"):
        new_settings(RunOptions(agent="oracle", replay=True, made_up=True))


def test_variables_are_kept_for_the_rest_of_a_run(tmp_path: Path) -> None:
    """SRER-07: a resumed run asks with the values that it began with."""
    text = "id: A\ninput: Is {{PROJECT_ID}} up?\nexpect: {text: {contains: [up]}}\n"
    (tmp_path / "a.yaml").write_text(text, encoding="utf-8")
    options = RunOptions(suite=tmp_path, agent="echo", var=["PROJECT_ID=shop"], run_dir=tmp_path)
    folder = prepare_new(options).open(now)
    resumed = RunOptions(resume=folder.path.name, run_dir=tmp_path)
    (case,) = prepare_resumed(resumed, ()).cases
    assert case.turns[0].user == "Is shop up?"


@pytest.mark.parametrize("text", ["MOCKSERVER_TOKEN", "HARNESS_TOKEN=x"])
def test_tokens_of_our_own_servers_are_for_no_agent(text: str) -> None:
    with pytest.raises(HarnessError, match="is for no agent"):
        environment_of(RunOptions(env=[text]), {"MOCKSERVER_TOKEN": "s3cret"})


@pytest.mark.parametrize(
    ("options", "trials"),
    [
        (RunOptions(), None),
        (RunOptions(trials=5), 5),
        (RunOptions(until_decided=True), 3),
    ],
    ids=["of-the-cases", "named", "first-look"],
)
def test_the_first_number_of_trials(options: RunOptions, trials: int | None) -> None:
    assert trial_count(options) == trials


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (RunOptions(trials=0), "at least 1"),
        (RunOptions(trials=3, until_decided=True), "leave --trials out"),
        (RunOptions(shard="1/2", until_decided=True), "leave --shard out"),
    ],
    ids=["none", "two-numbers", "shard"],
)
def test_no_trials_and_two_numbers_are_refused(options: RunOptions, said: str) -> None:
    with pytest.raises(HarnessError, match=said):
        trial_count(options)


@pytest.mark.parametrize(
    ("facts", "agent", "settings", "said"),
    [
        ({}, "echo", {}, []),
        (
            {"fixtures": Fixtures(overrides=("A",))},
            "echo",
            {"use_overrides": False},
            ["overrides that are not loaded: A; give --use-fixtures (EVAL_USE_FIXTURES=1) too"],
        ),
        (
            {},
            "echo",
            {"use_base": False},
            ["the base fixtures are not loaded: give --use-base (EVAL_USE_BASE=1) too"],
        ),
        (
            {"turns": (Turn(user="a"), Turn(user="b"))},
            "command:./a",
            {},
            [
                "A: a command gets each turn alone on stdin; --input json hands over the whole"
                " conversation"
            ],
        ),
    ],
    ids=["nothing", "overrides", "base", "turns"],
)
def test_what_a_run_will_not_show_is_told_before(
    facts: dict[str, Any], agent: str, settings: dict[str, Any], said: list[str]
) -> None:
    case = Case(**({"id": "A", "turns": (Turn(user="Why?"),)} | facts))
    assert run_warnings([case], agent, RunSettings(**settings)) == said


@pytest.mark.parametrize(
    ("ids", "named"),
    [("AB", "A, B"), ("ABC", "A, B, C"), ("ABCD", "A, B, C and 1 more")],
)
def test_of_many_cases_three_are_named(ids: str, named: str) -> None:
    cases = [
        Case(id=id, turns=(Turn(user="a"),), fixtures=Fixtures(overrides=("x",))) for id in ids
    ]
    (said,) = run_warnings(cases, "echo", RunSettings(use_overrides=False))
    assert named in said
    assert ("more" in said) is ("more" in named)


@pytest.mark.parametrize(
    ("named", "found"),
    [("office", "/suites/office"), ("unknown", "unknown"), (".", ".")],
    ids=["registered", "unknown", "path"],
)
def test_a_name_stands_for_its_path(tmp_path: Path, named: str, found: str) -> None:
    """CTX-26: `run NAME`"""
    RegisteredSuites(tmp_path).register(RegisteredSuite(name="office", path="/suites/office"))
    options = RunOptions(suite=Path(named), run_dir=tmp_path)
    assert with_registered_suite(options).suite == Path(found)


def test_no_suite_stays_none(tmp_path: Path) -> None:
    assert with_registered_suite(RunOptions(run_dir=tmp_path)).suite is None


def test_the_suite_is_the_argument_or_cases_or_where_cases_usually_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CSR-04."""
    monkeypatch.chdir(tmp_path)
    assert with_suite(RunOptions()).suite is None
    (tmp_path / "eval" / "cases").mkdir(parents=True)
    assert with_suite(RunOptions()).suite == Path("eval/cases")
    assert with_suite(RunOptions(cases=Path("a"))).suite == Path("a")
    assert with_suite(RunOptions(suite=Path("b"))).suite == Path("b")
    with pytest.raises(HarnessError, match="two suites"):
        with_suite(RunOptions(suite=Path("a"), cases=Path("b")))


def test_requests_go_to_the_service_unless_an_agent_is_named() -> None:
    """CSR-03, CSR-06."""
    assert with_service(RunOptions(), PUBLISHED).agent == "service:http://localhost:9020"
    named = with_service(RunOptions(base_url="http://h/x"), PUBLISHED)
    assert named.agent == "service:http://h/x"
    assert is_service(named)
    assert with_service(RunOptions(agent="null"), PUBLISHED).agent == "null"
    assert with_service(RunOptions(test_mode=True), PUBLISHED).agent is None
    assert with_service(RunOptions(), ()).agent is None


def test_conversations_are_not_sent_to_a_service() -> None:
    assert with_service(RunOptions(), [case()]).agent is None
    with pytest.raises(HarnessError, match="C-1 has no request"):
        with_service(RunOptions(agent="service:http://h"), [*PUBLISHED, case()])
