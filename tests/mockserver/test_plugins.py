import json
import logging
import shutil
from pathlib import Path

import httpx
import pytest
from typer.testing import CliRunner

from harness.cli.understudy import app
from mockserver.cassettes.foreign import read_foreign
from mockserver.cli.starter_files import TEMPLATES
from mockserver.errors import FormatError
from mockserver.plugins import (
    GROUPS,
    PluginError,
    check_plugin,
    guarded,
    installed_plugins,
    plugin_states,
    table_of,
)
from mockserver.redaction import RuleSet
from mockserver.testing import EmulatorTransport, ReplayTransport
from tests.plugin_packages import forget_plugins, installed, write_distribution, write_template

ROOT = Path(__file__).parents[2]
RECORDED = ROOT / "cassettes" / "directory" / "orgunits.yaml"
SUITE = ROOT / "fixtures" / "content-review"
PLUGIN = "from mockserver.plugins import Plugin\nPLUGIN = Plugin(contract={}, provides={})\n"
DRIVER = "from harness.agents import DriverKind\n" + PLUGIN.format(1, "DriverKind(print)")
KIND = """
from typing import ClassVar, Literal
from harness.checks import AnyExpectation, Check, passed, section_of
from mockserver.plugins import Plugin
class Tidy(AnyExpectation):
    kind: Literal["tidy"] = "tidy"
    failure: ClassVar[str] = {failure!r}
def check(record, expectation):
    return passed(expectation)
PLUGIN = Plugin(1, Check(Tidy, check, section_of(Tidy, "")))
"""
FORMAT = """
from mockserver.plugins import Plugin
from harness.cases import CaseFormat
PLUGIN = Plugin(1, CaseFormat("other", bool, bool, ""))
"""
RULE = "from mockserver.redaction import Rule\n" + PLUGIN.format(1, "(Rule({}),)")
APIS = "from mockserver.googleapi import Api, Collection\n" + PLUGIN.format(1, "Api({})")

BROKEN: dict[str, tuple[str, str, str, str]] = {
    "imports": ("checks", "a", "import no_such_module", "ModuleNotFoundError: No module named"),
    "exits": ("checks", "a", "import sys; sys.exit(3)", "cannot be loaded: SystemExit: 3"),
    "lacks": ("drivers", "a", "", "AttributeError: module 'lacks' has no attribute 'PLUGIN'"),
    "bare": ("drivers", "a", "PLUGIN = 3", "it is of type int, and no mockserver.plugins.Plugin"),
    "future": ("drivers", "a", PLUGIN.format(2, 0), "contract 2 of understudy.drivers, and this"),
    "past": ("drivers", "a", PLUGIN.format(0, 0), "its contract must be a number from 1, not 0"),
    "api": ("apis", "a", PLUGIN.format(1, 3), "no mockserver.googleapi.Api"),
    "cases": ("cases", "a", PLUGIN.format(1, 3), "no harness.cases.CaseFormat"),
    "driver": ("drivers", "a", PLUGIN.format(1, 3), "no harness.agents.DriverKind"),
    "check": ("checks", "a", PLUGIN.format(1, 3), "no harness.checks.Check"),
    "report": ("reports", "a", PLUGIN.format(1, 3), "no dict of file names"),
    "recording": ("recordings", "a", PLUGIN.format(1, 3), "foreign.RecordingFormat"),
    "redaction": ("redaction", "a", PLUGIN.format(1, 3), "no tuple of rules"),
    "rule": ("redaction", "b", PLUGIN.format(1, [3]), "no mockserver.redaction.Rule"),
    "taken_api": ("apis", "directory", PLUGIN.format(1, 0), "Understudy itself has a 'directory'"),
    "taken_case": ("cases", "native", PLUGIN.format(1, 0), "Understudy itself has a 'native'"),
    "taken_driver": ("drivers", "http", PLUGIN.format(1, 0), "Understudy itself has a 'http'"),
    "taken_check": ("checks", "rubric", PLUGIN.format(1, 0), "Understudy itself has a 'rubric'"),
    "taken_report": ("reports", "html", PLUGIN.format(1, 0), "Understudy itself has a 'html'"),
    "taken_har": ("recordings", "HAR", PLUGIN.format(1, 0), "Understudy itself has a 'HAR'"),
    "taken_rule": ("redaction", "c", RULE.format('"jwt", "jwt", ("a",)'), "rule 'jwt' already"),
    "keeps": ("redaction", "d", RULE.format('"x", "x", ("a",), keep=True'), "keeps what others"),
    "pattern": ("redaction", "e", RULE.format('"x", "x", pattern="("'), "not an RE2 expression"),
    "called": ("cases", "b", FORMAT, "the format is called 'other', and the entry point 'b'"),
    "named": ("apis", "b", APIS.format('"other", (), {}'), "the API is called 'other', and the"),
    "handlers": ("apis", "c", APIS.format('"c", (), [3]'), "its handlers are of type list, and no"),
    "owned": (
        "apis", "d", APIS.format('"d", (), {}, (Collection("users", ""),)'),
        "the collection 'users' is one of 'directory'",
    ),
    "document": (
        "apis", "e", APIS.format('"e", (), {}, supplements=({"name": "e"},)'),
        "a supplement is no Discovery document: KeyError",
    ),
    "spec": ("drivers", "a b", DRIVER, "a spec cannot begin with 'a b'"),
    "word": ("checks", "json", KIND.format(failure="f"), "'json' cannot be a word under expect"),
    "section": ("checks", "b", KIND.format(failure="f"), "its kind is called 'tidy', and the"),
    "classless": ("checks", "tidy", KIND.format(failure=""), "its kind has no class of failure"),
    "path": ("reports", "b", PLUGIN.format(1, {"../a.txt": str}).replace("<class 'str'>", "str"),
             "'../a.txt' is no name of a file"),
    "overwrites": ("reports", "c", PLUGIN.format(1, {"junit.xml": 3}), "a file of the report"),
    "made": ("reports", "d", PLUGIN.format(1, {"a.txt": 3}), "made by an object of type int"),
    "nothing": ("reports", "e", PLUGIN.format(1, {}), "it provides no file"),
    "group": ("check", "a", PLUGIN.format(1, 0), "there is no group understudy.check (did you"),
}  # fmt: skip
"""Module to its group without `understudy.`, its name, its source, and why it is left out."""


def test_broken_plugins_are_named_and_left_out_and_cost_only_themselves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for module, (group, name, source, _) in BROKEN.items():
        write_distribution(
            tmp_path, module, {f"understudy.{group}": {name: f"{module}:PLUGIN"}}, source
        )
    for kind in TEMPLATES:
        write_template(tmp_path, kind)
    with installed(tmp_path, monkeypatch), caplog.at_level(logging.WARNING):
        states = {each.distribution: each for each in plugin_states()}
        assert caplog.text == ""  # whoever lists them says it
        forget_plugins()
        for template in TEMPLATES.values():
            assert template.name in tuple(table_of(template.group))
    assert [name for name, each in states.items() if not each.problem] == [
        f"understudy_{TEMPLATES[kind].name}"
        for kind in ("api", "cases", "driver", "check", "report", "recording", "redaction")
    ]
    told = {name: each.problem for name, each in states.items() if each.problem}
    assert {name for name in told if BROKEN[name][3] not in told[name]} == set(), told
    assert told.keys() == BROKEN.keys()
    for module in BROKEN.keys() - {"group"}:
        assert f"of {module} 1.2 is left out: " in caplog.text


def test_of_two_plugins_of_one_name_the_first_that_can_be_used_has_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_template(tmp_path, "check")
    point = {"understudy.checks": {"courtesy": "understudy_courtesy:PLUGIN"}}
    write_distribution(tmp_path, "another", {"understudy.checks": {"courtesy": "gone:PLUGIN"}})
    write_distribution(tmp_path, "zebra", point)
    with installed(tmp_path, monkeypatch):
        states = {each.distribution: each.problem for each in plugin_states()}
    assert "No module named 'gone'" in states["another"]
    assert states["understudy_courtesy"] == ""
    assert states["zebra"] == "another plug-in has the name 'courtesy'"


def test_plugins_are_looked_for_only_where_the_lines_of_the_house_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_distribution(
        tmp_path, "loud", {"understudy.drivers": {"loud": "loud:PLUGIN"}}, "raise SystemExit"
    )
    with installed(tmp_path, monkeypatch):
        for group, name in (
            ("apis", "directory"), ("cases", "native"), ("drivers", "http"), ("checks", "rubric"),
            ("reports", "html"), ("recordings", "HAR"),
        ):  # fmt: skip
            assert name in table_of(f"understudy.{group}")
        assert installed_plugins.cache_info().misses == 0
        assert "quiet" not in table_of("understudy.drivers")
        assert installed_plugins.cache_info().misses == 1
        assert table_of("understudy.drivers").get("loud") is None


def test_the_working_folder_holds_no_plugins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_template(tmp_path, "check")
    monkeypatch.chdir(tmp_path)
    with installed(tmp_path, monkeypatch):
        assert installed_plugins() == ()


def test_of_a_distribution_that_is_there_twice_the_first_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mockserver import plugins

    first, second = tmp_path / "first", tmp_path / "second"
    for folder in (first, second):
        folder.mkdir()
    write_distribution(first, "understudy_courtesy", {})
    write_template(second, "check")
    with installed(tmp_path, monkeypatch) as _:
        monkeypatch.setattr(plugins, "_PATH", (str(first), str(second), str(tmp_path / "none")))
        forget_plugins()
        assert installed_plugins() == ()


def test_metadata_that_cannot_be_read_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    write_distribution(tmp_path, "odd", {"understudy.checks": {}})
    (tmp_path / "odd-1.2.dist-info" / "entry_points.txt").write_text("[understudy.checks]\nodd\n")
    write_template(tmp_path, "check")
    with installed(tmp_path, monkeypatch):
        assert [each.name for each in installed_plugins()] == ["courtesy"]
    assert "the plug-ins of odd 1.2 are left out: entry_points.txt" in caplog.text


def test_a_function_of_a_plugin_that_fails_is_named() -> None:
    with pytest.raises(PluginError, match=r"the plug-in 'a' \(g\) failed: ZeroDivisionError"):
        guarded(lambda: 1 // 0, "a", "g")()
    with pytest.raises(ValueError, match="invalid literal"):
        guarded(int, "a", "g", ValueError)("a")


def test_authors_hold_their_plugin_to_the_contract_without_installing_it() -> None:
    with pytest.raises(PluginError, match=r"there is no group 'understudy\.check'"):
        check_plugin("understudy.check", "a", 0)
    with pytest.raises(PluginError, match="it is of type int, and no"):
        check_plugin("understudy.checks", "a", 0)


@pytest.mark.parametrize("group", GROUPS)
def test_every_group_has_a_table_and_a_template(group: str) -> None:
    assert table_of(group).group == group
    assert group in {each.group for each in TEMPLATES.values()}


def test_values_of_a_table_are_a_sequence() -> None:
    from mockserver.apis import APIS as EMULATED

    assert (EMULATED[0].name, len(EMULATED[1:])) == ("directory", len(EMULATED) - 1)
    assert json.dumps([each.name for each in EMULATED])


def test_recordings_rules_and_apis_of_plugins_are_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packages, suite = tmp_path / "packages", tmp_path / "suite"
    packages.mkdir()
    (suite / "base").mkdir(parents=True)
    world = {"parrots": [{"name": "parrots/jack", "word": "ahoy"}]}
    (suite / "base" / "world.json").write_text(json.dumps(world), encoding="utf-8")
    for kind in ("recording", "redaction", "api"):
        write_template(packages, kind)
    call = {"method": "GET", "url": "https://api.example.com/a", "status": 200, "body": "{}"}
    (tmp_path / "calls.json").write_text(json.dumps({"callLog": [call]}), encoding="utf-8")
    (tmp_path / "other.json").write_text("{}", encoding="utf-8")
    with installed(packages, monkeypatch):
        cassette, found = read_foreign(tmp_path / "calls.json")
        assert (found.format, len(cassette.interactions)) == ("calllog", 1)
        with pytest.raises(FormatError, match="HTTP log, calllog"):
            read_foreign(tmp_path / "other.json")
        assert RuleSet.default().rules[0].name == "badge_number"
        assert "badge_number" not in {rule.name for rule in RuleSet.optional()}
        with httpx.Client(transport=EmulatorTransport(suite)) as client:
            answer = client.get("https://parrots.example.com/v1/parrots/jack")
    assert answer.json() == world["parrots"][0]


RECORDING = {
    "record": ("record", "--cassette", "a.yaml", "--", "true"),
    "capture proxy": ("capture", "proxy", "--forward", "--cassette", "a.yaml"),
    "capture mcp": ("capture", "mcp", "--cassette", "a.yaml", "--url", "http://127.0.0.1:9"),
    "capture finish": ("capture", "finish", "c.recording.yaml"),
    "cassette import": ("cassette", "import", str(RECORDED), "--to", "a.yaml"),
    "cassette redact": ("cassette", "redact", str(RECORDED), "a.yaml"),
    "cassette stub": ("cassette", "stub", "b.yaml", "GET", "https://api.example.com/v1/x"),
    "run": ("run", str(SUITE), "--agent", "command:true", "--record-models"),
}
"""Each command that writes recordings."""


@pytest.mark.parametrize("name", RECORDING)
def test_nothing_is_recorded_without_the_rules_of_a_broken_plugin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    write_distribution(
        tmp_path, "badges", {"understudy.redaction": {"badge": "badges:PLUGIN"}}, "import polite"
    )
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    monkeypatch.setenv("MOCKSERVER_REDACTION_KEY", "a key for tests")
    shutil.copy(RECORDED, "b.yaml")
    shutil.copy(RECORDED, "c.recording.yaml")
    before = RECORDED.read_bytes()
    with installed(tmp_path, monkeypatch):
        done = CliRunner().invoke(app, RECORDING[name])
    assert isinstance(done.exception, PluginError)
    assert done.exception.exit_code == 2
    assert str(done.exception) == (
        "a recording needs the rules of redaction of every installed plug-in: the plug-in 'badge'"
        " (understudy.redaction) of badges 1.2 cannot be used: badges:PLUGIN cannot be loaded:"
        " ModuleNotFoundError: No module named 'polite' (mend it or install a version that works,"
        " or: pip uninstall badges)"
    )
    assert not Path("a.yaml").exists()
    assert Path("b.yaml").read_bytes() == before


def test_a_replay_only_warns_of_a_broken_plugin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    write_distribution(
        tmp_path, "badges", {"understudy.redaction": {"badge": "badges:PLUGIN"}}, "import polite"
    )
    with installed(tmp_path, monkeypatch):
        ReplayTransport(RECORDED)
    assert "the plug-in 'badge' (understudy.redaction) of badges 1.2 is left out: " in caplog.text
