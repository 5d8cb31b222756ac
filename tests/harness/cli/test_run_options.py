import typer
from typer.testing import CliRunner

from harness.cli.run_options import RunOptions, with_run_options

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
