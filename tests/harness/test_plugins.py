"""What plug-ins of the harness do where they are used: files of cases, runs, reports."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import ValidationError
from typer.testing import CliRunner

from harness.cases import json_schema, read_suite
from harness.cases.conversion import written_case
from harness.checks import CHECKS, check
from harness.checks.expect_block import section_named
from harness.cli.understudy import app
from harness.model import Case, Reply, TrialRecord
from harness.reports.failures import failure_class
from mockserver.plugins import PluginError
from tests.plugin_packages import installed, write_distribution, write_template

FAILING = """
from typing import ClassVar, Literal
from harness.agents import AgentDriver, DriverKind
from harness.checks import AnyExpectation, Check, value_section
from mockserver.plugins import Plugin

class Strict(AnyExpectation):
    kind: Literal["strict"] = "strict"
    failure: ClassVar[str] = "not strict"
    level: int = 0

def check(record, expectation):
    return 1 // expectation.level

CHECK = Plugin(1, Check(Strict, check, value_section(Strict, "level", int, "How strict.")))

class Broken(AgentDriver):
    async def converse(self, task, transcript):
        raise RuntimeError("out of order")
    async def close(self):
        pass

def build(rest, options):
    if rest == "bad":
        raise LookupError(rest)
    return Broken()

DRIVER = Plugin(1, DriverKind(build))
"""
CASE = """
id: A
input: [{user: "Why?", expect: {courtesy: {least: 2}}}]
expect: {courtesy: {required: false}}
checks: [{kind: courtesy, least: 3}]
weights: {courtesy: 2}
"""
RECORD = TrialRecord(
    run="r", case="A", case_hash="h", number=1, outcome="replied",
    started_at="2026-11-20T10:15:00Z", replies=(Reply(turn=1, prompt="Why?", text="Thank you."),),
)  # fmt: skip


@pytest.fixture
def plugged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder to work in, beside an installation with plug-ins."""
    packages, here = tmp_path / "packages", tmp_path / "here"
    packages.mkdir()
    (here / "base").mkdir(parents=True)
    (here / "base" / "world.json").write_text("{}", encoding="utf-8")
    for kind in ("check", "driver", "cases", "report"):
        write_template(packages, kind)
    points = {"checks": {"strict": "failing:CHECK"}, "drivers": {"broken": "failing:DRIVER"}}
    named = {f"understudy.{group}": names for group, names in points.items()}
    write_distribution(packages, "failing", named, FAILING)
    monkeypatch.chdir(here)
    with installed(packages, monkeypatch):
        yield here


def invoke(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, list(arguments))
    if isinstance(result.exception, Exception):
        raise result.exception
    return result.exit_code, result.output


def test_the_word_of_a_plugin_is_read_stored_checked_and_written(plugged: Path) -> None:
    path = plugged / "case.yaml"
    path.write_text(CASE, encoding="utf-8")
    suite = read_suite(path)
    assert suite.errors == ()
    (case,) = suite.cases
    assert Case.model_validate_json(case.model_dump_json()) == case
    found = [check(RECORD, each) for each in case.expect]
    assert [each.status for each in found] == ["informational", "fail", "fail"]
    assert failure_class("courtesy") == "no courtesy"
    assert section_named("courtesy") is CHECKS["courtesy"].section
    assert section_named("gone") is None
    assert written_case(case)["expect"] == {"courtesy": {"required": False}}
    stored = case.model_dump_json().replace('"courtesy"', '"gone"')
    with pytest.raises(ValidationError, match=r"no check is of kind 'gone', nor does a plug-in"):
        Case.model_validate_json(stored)


def test_the_schema_of_cases_has_the_word(plugged: Path) -> None:
    from jsonschema import Draft202012Validator

    case = {"id": "A", "input": [{"user": "Why?", "expect": {"courtesy": {"least": 2}}}]}
    validator = Draft202012Validator(json_schema())
    assert validator.is_valid(case | {"expect": {"courtesy": {}, "strict": 2}})
    assert validator.is_valid(case | {"checks": [{"kind": "courtesy"}]})
    assert not validator.is_valid({"id": "A", "input": [{"user": "?", "expect": {"strict": 2}}]})
    assert not validator.is_valid(case | {"expect": {"courtesy": {"most": 2}}})
    assert not validator.is_valid(case | {"expect": {"courtsey": {}}})


@pytest.mark.parametrize(
    ("expect", "message"),
    [
        ("{courtesy: {most: 2}}", "unknown key 'expect.courtesy.most'"),
        ("{courtesy: {least: 0}}", "expect.courtesy.least"),
        ("{courtesy: {}, courtsey: {}}", "unknown key 'expect.courtsey'"),
    ],
)
def test_what_is_wrong_in_it_is_told_with_its_place(
    plugged: Path, expect: str, message: str
) -> None:
    path = plugged / "case.json.yaml"
    path.write_text(f"id: A\ninput: Why?\nexpect: {expect}\n", encoding="utf-8")
    (error,) = read_suite(path).errors
    assert error.where.endswith(":3")
    assert message.rpartition(".")[2].strip("'") in error.message


def test_a_section_of_whole_trials_may_not_stand_at_a_turn(plugged: Path) -> None:
    path = plugged / "case.yaml"
    path.write_text('id: A\ninput: [{user: "Why?", expect: {strict: 2}}]\n', encoding="utf-8")
    (error,) = read_suite(path).errors
    assert "unknown key" in error.message


def test_a_check_that_fails_says_nothing_of_the_trial(plugged: Path) -> None:
    found = check(RECORD, CHECKS["strict"].kind.model_validate({}))
    assert found.status == "not_evaluated"
    assert found.reason == (
        "the plug-in 'strict' failed: ZeroDivisionError: integer division or modulo by zero"
    )
    found = check(RECORD, CHECKS["strict"].kind.model_validate({"level": 1}))
    assert "it provides an object of type int, and no CheckResult" in found.reason


def test_plugins_are_used_in_a_run_and_its_reports(plugged: Path) -> None:
    (plugged / "birds.quiz").write_text("Say thank you. -> thank you\n", encoding="utf-8")
    code, said = invoke("run", "birds.quiz", "--agent", "parrot:2", "--run-dir", "runs")
    assert (code, "cases  1/1" in said) == (0, True), said
    invoke("report", "latest", "--format", "verdicts", "--run-dir", "runs")
    (written,) = Path("runs").glob("*/**/verdicts.txt")
    assert written.read_text(encoding="utf-8") == "Q-1: passed\n"


def test_a_driver_that_fails_is_no_failure_of_the_agent(plugged: Path) -> None:
    (plugged / "birds.quiz").write_text("Say owl. -> owl\n", encoding="utf-8")
    code, said = invoke("run", "birds.quiz", "--agent", "broken:x", "--run-dir", "runs")
    assert (code, "the plug-in 'broken' failed: RuntimeError: out of order" in said) == (3, True)
    with pytest.raises(PluginError, match=r"the plug-in 'broken' \(understudy.drivers\) failed"):
        invoke("run", "birds.quiz", "--agent", "broken:bad", "--run-dir", "runs")


def test_without_any_the_list_says_how_one_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with installed(tmp_path, monkeypatch):
        assert invoke("plugins") == (
            0, "no plug-ins are installed; understudy init --plugin check writes one\n"
        )  # fmt: skip


def test_they_are_listed_and_the_doctor_names_those_that_are_broken(plugged: Path) -> None:
    write_distribution(
        plugged.parent / "packages", "gone", {"understudy.reports": {"gone": "gone:PLUGIN"}}
    )
    code, said = invoke("plugins")
    assert code == 0
    assert "checks      courtesy  understudy_courtesy 1.2\n" in said
    assert "reports     gone      gone 1.2\n            left out: gone:PLUGIN cannot be" in said
    listed = {each["name"]: each for each in json.loads(invoke("plugins", "--json")[1])}
    assert listed["courtesy"] == {
        "group": "understudy.checks", "name": "courtesy", "distribution": "understudy_courtesy",
        "version": "1.2", "place": "understudy_courtesy:PLUGIN", "problem": "",
    }  # fmt: skip
    code, said = invoke("doctor")
    assert (code, "FAIL  gone (understudy.reports) of gone 1.2: " in said) == (1, True), said
    assert "pip uninstall gone" in said
