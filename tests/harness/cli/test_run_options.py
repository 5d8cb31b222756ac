from collections.abc import Iterator
from dataclasses import fields
from typing import Any, get_args

import pytest
import typer
from typer.testing import CliRunner

from harness.agents.profiles import PROFILES
from harness.cases.fault_profiles import BUILTIN, OF_MODELS
from harness.cli.main import app as harness
from harness.cli.run_options import (
    FAULT_PROFILES,
    FIXED,
    HTTP_PROFILES,
    NOT_OF_REPLAYS,
    OF_WHOLE_RUNS,
    ReplayOptions,
    RunOptions,
    StoreOptions,
    option,
    with_run_options,
)
from mockserver.cli.main import app as mockserver
from mockserver.model.sessions import Profile
from tests.command_line import command_of

heard: list[RunOptions] = []


@with_run_options
def listen(_ctx: typer.Context, options: RunOptions) -> None:
    """Listen to the options."""
    heard.append(options)


app = typer.Typer()
app.command()(listen)


def told(*arguments: str, **environment: str) -> RunOptions:
    result = CliRunner().invoke(app, arguments, env=environment)
    assert result.exit_code == 0, result.output
    return heard.pop()


def test_nothing_said_is_the_defaults() -> None:
    """CEP-32."""
    assert told() == RunOptions()
    assert told().chat_url == "http://localhost:3100/api/chat"


def test_each_variable_means_the_same_as_its_option() -> None:
    """CEP-22, CEP-23, CEP-24, CEP-25, CEP-26, CEP-27, CEP-28, CEP-29, CEP-30, CEP-31, CEP-32."""
    by_variable = told(
        "suite",
        EVAL_IDS="EC-057,EC-058",
        EVAL_CATEGORY="connector",
        EVAL_TAGS="dlp,print",
        EVAL_LIMIT="7",
        EVAL_SERIAL="1",
        EVAL_VERBOSE="1",
        EVAL_MANAGE_SERVER="0",
        EVAL_USE_BASE="1",
        EVAL_USE_FIXTURES="0",
        EVAL_FIXTURES="1",
        EVAL_TEST_MODE="1",
        EVAL_INJECT_PROMPT="1",
        CHAT_URL="http://127.0.0.1:9/chat",
    )
    by_option = told(
        "suite",
        *("--ids", "EC-057,EC-058", "--category", "connector", "--tags", "dlp,print"),
        *("--limit", "7", "--serial", "--verbose", "--no-manage-server", "--use-base"),
        *("--no-use-fixtures", "--fixtures", "--test-mode", "--inject-prompt"),
        *("--chat-url", "http://127.0.0.1:9/chat"),
    )
    assert by_variable == by_option
    assert by_option != RunOptions()


def test_an_option_wins_over_its_variable() -> None:
    assert told("--ids", "EC-001", EVAL_IDS="EC-002").ids == "EC-001"


def test_every_option_says_what_it_does() -> None:
    shown = CliRunner().invoke(app, ["--help"], env={"COLUMNS": "200", "TERM": "dumb"}).output
    assert "Listen to the options" in shown
    for word in ("EVAL_TAGS", "--resume", "(default: yes, unless only --use-base is given)"):
        assert word in shown


def test_the_tables_of_help_are_those_of_the_code() -> None:
    assert list(HTTP_PROFILES) == list(PROFILES)
    assert list(FAULT_PROFILES) == [*BUILTIN, *OF_MODELS]


def test_of_each_option_it_is_decided_where_it_may_not_be_given() -> None:
    """A new option goes into the lists that it belongs to, or here, if `--resume`, `--agent-args`
    of pytest and `understudy replay` all take it.
    """
    taken_everywhere = {
        "further_agents", "chat_url", "header", "token", "env", "python", "sandbox_read",
        "intercept", "tunnel", "on", "workers", "ship", "otel", "user_from", "judge_timeout",
    }  # fmt: skip
    listed = {*FIXED, *OF_WHOLE_RUNS, *NOT_OF_REPLAYS}
    assert listed.isdisjoint(taken_everywhere)
    assert listed | taken_everywhere == {each.name for each in fields(RunOptions)}


def _commands(group: Any, path: str) -> Iterator[tuple[str, Any]]:
    for name, entry in group.commands.items():
        command = entry.load() if hasattr(entry, "load") else entry
        if hasattr(command, "commands"):
            yield from _commands(command, f"{path} {name}")
        else:
            yield f"{path} {name}", command


OPTIONS = [
    (name, opt, param.help)
    for app, title in ((harness, "harness"), (mockserver, "mockserver"))
    for name, command in _commands(typer.main.get_group(app), title)
    for param in command.params
    for opt in param.opts
    if opt in {"--profile", "--faults-matrix"}
]


@pytest.mark.parametrize(
    ("command", "option", "told"), OPTIONS, ids=[f"{name} {opt}" for name, opt, _ in OPTIONS]
)
def test_help_names_every_profile(command: str, option: str, told: str) -> None:
    """Wherever a command takes one: agents over HTTP, faults, and sessions of the server."""
    fixed = get_args(Profile) if command.startswith("mockserver") else PROFILES
    names = BUILTIN if option == "--faults-matrix" else fixed
    assert [name for name in names if name not in told] == []


def test_commands_that_take_profiles_are_found() -> None:
    found = {(name, opt) for name, opt, _ in OPTIONS}
    assert found >= {
        ("harness run", "--profile"), ("harness doctor", "--profile"),
        ("harness run", "--faults-matrix"), ("mockserver serve", "--profile"),
    }  # fmt: skip


def test_an_option_has_names_a_variable_and_limits() -> None:
    made = option("--trials", "-n", panel="Run", env="EVAL_TRIALS", help="How often.", min=1)
    assert (made.default, *made.param_decls) == ("--trials", "-n")
    assert (made.envvar, made.rich_help_panel, made.help) == ("EVAL_TRIALS", "Run", "How often.")
    assert made.min == 1


def test_nothing_is_replayed_unless_it_is_asked_for() -> None:
    assert {item.name: item.default for item in fields(ReplayOptions)} == {
        "replay": False,
        "record_models": False,
        "strict": False,
        "match": "",
        "exact": False,
        "barriers": None,
    }


def test_a_run_is_indexed_nowhere_unless_asked() -> None:
    assert StoreOptions().db == ""
    assert RunOptions(db="x.db").db == "x.db"


def test_commands_that_read_runs_name_their_place_alike() -> None:
    for name in ("runs", "index", "baseline", "baselines", "register", "list-suites"):
        options = {option.name: option for option in command_of(harness, name).params}
        assert options["run_dir"].envvar == "EVAL_RUN_DIR"
        assert "db" not in options or options["db"].envvar == "EVAL_DB"
