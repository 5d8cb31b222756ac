"""The options of `harness run`, each with the environment variable that means the same."""

import inspect
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_type_hints

import typer

CHAT_URL = "http://localhost:3100/api/chat"

_SELECT, _AGENT, _WORLD, _RUN = "Cases", "Agent", "Mocked world", "Run and reports"


def _option(*names: str, panel: str, env: str | None = None, help: str, **limits: float) -> Any:
    return typer.Option(*names, envvar=env, help=help, rich_help_panel=panel, **limits)  # type: ignore[arg-type]


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """What `harness run` was told; None where nothing was said."""

    suite: Annotated[
        Path | None,
        typer.Argument(help="A suite: a folder or a file. With --resume it is known already."),
    ] = None

    agent: Annotated[
        str | None,
        _option(
            "--agent",
            "-a",
            panel=_AGENT,
            help="The agent: http:URL, command:CMD, python:module:function, scripted:FILE, null,"
            " echo or oracle. (default: http: at $CHAT_URL)",
        ),
    ] = None
    chat_url: Annotated[
        str, _option("--chat-url", panel=_AGENT, env="CHAT_URL", help="Used without --agent.")
    ] = CHAT_URL
    profile: Annotated[
        str,
        _option(
            "--profile",
            panel=_AGENT,
            help="Request body of http: agents: ai-sdk (id, messages with parts) or json (messages"
            " of role and content). The reply is read by its Content-Type.",
        ),
    ] = "ai-sdk"
    header: Annotated[
        list[str] | None,
        _option("--header", "-H", panel=_AGENT, help="'Name: value' for http: agents; repeatable."),
    ] = None
    serve: Annotated[
        str,
        _option(
            "--serve",
            panel=_AGENT,
            env="EVAL_SERVE",
            help="Command that serves the http: agent: started for this run with the mocked APIs in"
            " its environment (GOOGLE_API_BASE_URL, TOOLS_BASE_URL), and stopped after it.",
        ),
    ] = ""
    token: Annotated[
        str,
        _option(
            "--token",
            panel=_AGENT,
            env="EVAL_TOKEN",
            help="Bearer token for http: agents, in the place of the session's.",
        ),
    ] = ""
    input: Annotated[
        str,
        _option(
            "--input",
            panel=_AGENT,
            help="What command: agents read: text (the turn's prompt on stdin, or in the place of"
            " {prompt}) or json (the whole conversation on stdin).",
        ),
    ] = "text"
    env: Annotated[
        list[str] | None,
        _option(
            "--env",
            panel=_AGENT,
            help="NAME or NAME=VALUE for command: agents, which otherwise get a minimal"
            " environment; repeatable.",
        ),
    ] = None
    prompt_template: Annotated[
        str,
        _option(
            "--prompt-template",
            panel=_AGENT,
            env="EVAL_PROMPT_TEMPLATE",
            help="Text around every prompt, with {prompt} in it; @FILE reads it from a file.",
        ),
    ] = "{prompt}"
    live: Annotated[
        bool,
        _option(
            "--live", panel=_AGENT, help="Allow an agent environment that names live Google hosts."
        ),
    ] = False

    ids: Annotated[
        str, _option("--ids", panel=_SELECT, env="EVAL_IDS", help="Case ids, comma-separated.")
    ] = ""
    category: Annotated[
        str, _option("--category", panel=_SELECT, env="EVAL_CATEGORY", help="Categories.")
    ] = ""
    tags: Annotated[
        str, _option("--tags", panel=_SELECT, env="EVAL_TAGS", help="Tags; one of them suffices.")
    ] = ""
    limit: Annotated[
        int | None,
        _option("--limit", panel=_SELECT, env="EVAL_LIMIT", help="At most so many cases."),
    ] = None

    mock: Annotated[
        str, _option("--mock", panel=_WORLD, help="URL of a mock server that is already running.")
    ] = ""
    mock_token: Annotated[
        str,
        _option("--mock-token", panel=_WORLD, env="MOCKSERVER_TOKEN", help="Its control token."),
    ] = ""
    manage_server: Annotated[
        bool,
        _option(
            "--manage-server/--no-manage-server",
            panel=_WORLD,
            env="EVAL_MANAGE_SERVER",
            help="Start a mock server (and the agent's, see --serve) for this run; otherwise those"
            " at --mock (or http://127.0.0.1:8765) and at the agent's URL are used.",
        ),
    ] = True
    use_base: Annotated[
        bool | None,
        _option(
            "--use-base/--no-use-base",
            panel=_WORLD,
            env="EVAL_USE_BASE",
            help="Load the base fixtures. (default: yes, unless only --use-fixtures is given)",
        ),
    ] = None
    use_fixtures: Annotated[
        bool | None,
        _option(
            "--use-fixtures/--no-use-fixtures",
            panel=_WORLD,
            env="EVAL_USE_FIXTURES",
            help="Load the cases' overrides. (default: yes, unless only --use-base is given)",
        ),
    ] = None
    fixtures: Annotated[
        bool | None,
        _option(
            "--fixtures/--no-fixtures",
            panel=_WORLD,
            env="EVAL_FIXTURES",
            help="Both of the above at once.",
        ),
    ] = None
    inject: Annotated[
        bool | None,
        _option(
            "--inject/--no-inject",
            panel=_WORLD,
            env="EVAL_INJECT",
            help="Hand the merged fixtures over in the request body, with X-Eval-Test-Mode: 1."
            " (default: only for the agent at $CHAT_URL)",
        ),
    ] = None
    inject_prompt: Annotated[
        bool,
        _option(
            "--inject-prompt",
            panel=_WORLD,
            env="EVAL_INJECT_PROMPT",
            help="Put plain-text fixtures below the first prompt.",
        ),
    ] = False
    test_mode: Annotated[
        bool,
        _option(
            "--test-mode",
            panel=_WORLD,
            env="EVAL_TEST_MODE",
            help="Make replies up without asking the agent: a rehearsal, never a verdict.",
        ),
    ] = False

    trials: Annotated[
        int | None,
        _option(
            "--trials", "-n", panel=_RUN, help="Trials for each case. (default: each case's own)"
        ),
    ] = None
    concurrency: Annotated[
        int, _option("--concurrency", "-j", panel=_RUN, help="Trials at a time.", min=1)
    ] = 4
    serial: Annotated[
        bool, _option("--serial", panel=_RUN, env="EVAL_SERIAL", help="One trial at a time.")
    ] = False
    timeout: Annotated[
        float,
        _option("--timeout", panel=_RUN, env="EVAL_TIMEOUT", help="Seconds an agent may take."),
    ] = 180.0
    retries: Annotated[
        int,
        _option(
            "--retries",
            panel=_RUN,
            help="Further attempts after a transport error or 429, 502, 503, 504.",
            min=0,
        ),
    ] = 2
    policy: Annotated[
        str, _option("--policy", panel=_RUN, help="When a case passes: all, majority, or a share.")
    ] = "all"
    max_infra: Annotated[
        float,
        _option(
            "--max-infra",
            panel=_RUN,
            help="Share of infrastructure errors a run may bear.",
            min=0,
            max=1,
        ),
    ] = 0.05
    run_dir: Annotated[
        Path, _option("--run-dir", panel=_RUN, env="EVAL_RUN_DIR", help="Where runs are kept.")
    ] = Path("runs")
    resume: Annotated[
        str, _option("--resume", panel=_RUN, help="Finish an earlier run: its id or its folder.")
    ] = ""
    note: Annotated[str, _option("--note", panel=_RUN, help="Why this run is made.")] = ""
    json_output: Annotated[
        Path | None, _option("--json-output", panel=_RUN, help="A further copy of report.json.")
    ] = None
    verbose: Annotated[
        bool,
        _option("--verbose", "-v", panel=_RUN, env="EVAL_VERBOSE", help="A line for each trial."),
    ] = False


Command = TypeVar("Command", bound=Callable[..., None])


def with_run_options(command: Callable[[typer.Context, RunOptions], None]) -> Callable[..., None]:
    """A command whose parameters are the fields of `RunOptions`, as typer reads them."""
    hints = get_type_hints(RunOptions, include_extras=True)

    def run(ctx: typer.Context, **given: object) -> None:
        command(ctx, RunOptions(**given))  # type: ignore[arg-type]

    context = inspect.Parameter(
        "ctx", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context
    )
    options = [
        inspect.Parameter(
            item.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if item.default is MISSING else item.default,
            annotation=hints[item.name],
        )
        for item in fields(RunOptions)
    ]
    run.__signature__ = inspect.Signature([context, *options])  # type: ignore[attr-defined]
    run.__annotations__ = {"ctx": typer.Context, **hints}
    run.__doc__ = command.__doc__
    return run
