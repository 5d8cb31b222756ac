"""The options of `understudy run`, by group, each with its environment variable.

The tables of what options accept stand with what they name (`harness.agents.profiles`,
`harness.cases.fault_profiles`). `--help` does not import them; a test holds the names here against
them.
"""

import inspect
from collections.abc import Callable, Collection, Sequence
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, get_args, get_type_hints

import typer

from harness.cli.options import RUN_DIR_HELP, runs_directory
from harness.errors import HarnessError

__all__ = ["CHAT_URL", "RunOptions", "parse_run_options", "with_run_options"]


HTTP_PROFILES = {
    "ai-sdk": "id, messages with parts",
    "json": "messages of role and content",
    "openai": "chat completions",
    "adk": "ADK's API server",
}
"""Profiles of http: agents, and what they send."""


HTTP_PROFILE_LIST = ", ".join(f"{name} ({sent})" for name, sent in HTTP_PROFILES.items())
"""The same as a line of help."""


FAULT_PROFILES = (
    "rate-limit", "server-errors", "slow", "auth-expired", "flaky-network", "malformed", "outage",
    "model-rate-limit", "model-overload", "model-cut-stream", "model-malformed-call",
)  # fmt: skip
"""Built-in fault profiles."""


TOOL_CHANGES = (
    "renamed", "reordered", "undescribed", "distractors[=N]", "truncated[=N]", "prose_errors",
)  # fmt: skip
"""Ways to change the tools of sessions."""


CHAT_URL = "http://localhost:3100/api/chat"


def option(
    *names: str, panel: str | None = None, env: str | None = None, help: str, **limits: float
) -> Any:
    """An option as typer reads it.

    Args:
        names: As they are given, `--trials`, `-n`.
        panel: The group it is shown in; None for those that matter most, which come first.
        env: The variable that means the same.
        help: What it does.
        limits: `min` and `max` of a number.
    """
    return typer.Option(*names, envvar=env, help=help, rich_help_panel=panel, **limits)  # type: ignore[arg-type]


_AGENT_PANEL = "Agent"


@dataclass(frozen=True, kw_only=True)
class AgentOptions:
    """The agent, and the way to reach it."""

    agent: Annotated[
        str | None,
        option(
            "--agent",
            "-a",
            help="The agent: http:URL, a2a:URL, langgraph:URL, mcp:URL#TOOL or mcp:CMD#TOOL,"
            " service:URL, command:CMD, python:module:function, one of a framework (pydantic-ai:,"
            " langgraph:, openai-agents:, adk:, crewai:, claude-agent:, smolagents:, each with"
            " module:agent), model:PROVIDER/NAME, scripted:FILE, null, echo or oracle. (default:"
            " http: at $CHAT_URL) Several: one run each, and a table of all.",
        ),
    ] = None
    further_agents: tuple[str, ...] = ()
    chat_url: Annotated[
        str, option("--chat-url", panel=_AGENT_PANEL, env="CHAT_URL", help="Used without --agent.")
    ] = CHAT_URL
    base_url: Annotated[
        str,
        option(
            "--base-url",
            panel=_AGENT_PANEL,
            help="The service that a suite of requests is sent to, without --agent; /v1/review is"
            " asked unless the URL names another path.",
        ),
    ] = "http://localhost:9020"
    backend: Annotated[
        str,
        option(
            "--backend", panel=_AGENT_PANEL, help="What stands behind a service; for display only."
        ),
    ] = "ollama"
    profile: Annotated[
        str,
        option(
            "--profile",
            panel=_AGENT_PANEL,
            help=f"What http: agents are sent: {HTTP_PROFILE_LIST}. The reply is read by its"
            " Content-Type.",
        ),
    ] = "ai-sdk"
    header: Annotated[
        list[str] | None,
        option(
            "--header", "-H", panel=_AGENT_PANEL, help="'Name: value' for http: agents; repeatable."
        ),
    ] = None
    serve: Annotated[
        str,
        option(
            "--serve",
            env="EVAL_SERVE",
            help="Command that serves the http: agent: started for this run with the mocked APIs in"
            " its environment (GOOGLE_API_BASE_URL, TOOLS_BASE_URL), and stopped after it.",
        ),
    ] = ""
    token: Annotated[
        str,
        option(
            "--token",
            panel=_AGENT_PANEL,
            env="EVAL_TOKEN",
            help="Bearer token for http: agents, in the place of the session's, and for service:"
            " agents, in the place of demo-token.",
        ),
    ] = ""
    input: Annotated[
        str,
        option(
            "--input",
            panel=_AGENT_PANEL,
            help="What command: agents read: text (the turn's prompt on stdin, or in the place of"
            " {prompt}) or json (the whole conversation on stdin).",
        ),
    ] = "text"
    agent_cwd: Annotated[
        str,
        option(
            "--agent-cwd",
            panel=_AGENT_PANEL,
            env="EVAL_AGENT_CWD",
            help="Where an agent that is started works: in the workspace of the trial (workspace),"
            " or where the run was started (here); $WORKSPACE names the other.",
        ),
    ] = "workspace"
    env: Annotated[
        list[str] | None,
        option(
            "--env",
            panel=_AGENT_PANEL,
            help="NAME or NAME=VALUE for command: agents, which otherwise get a minimal"
            " environment, and python: agents; repeatable.",
        ),
    ] = None
    tools: Annotated[
        str,
        option(
            "--tools",
            panel=_AGENT_PANEL,
            env="EVAL_TOOLS",
            help="The agent's own tools, comma-separated globs; a case that requires others is"
            " skipped.",
        ),
    ] = ""
    isolate: Annotated[
        bool,
        option(
            "--isolate/--no-isolate",
            panel=_AGENT_PANEL,
            help="Run a python: agent in a process of its own for each trial (the default), or in"
            " the harness's.",
        ),
    ] = True
    python: Annotated[
        str,
        option(
            "--python",
            panel=_AGENT_PANEL,
            help="The interpreter of python: agents and those of frameworks, such as"
            " .venv/bin/python of their project. (default: the harness's own)",
        ),
    ] = ""
    sandbox: Annotated[
        str,
        option(
            "--sandbox",
            panel=_AGENT_PANEL,
            env="EVAL_SANDBOX",
            help="Run a command: agent in a sandbox, bubblewrap or docker:IMAGE: no network but the"
            " mock server, no file writable but its workspace, your home, the suite and the runs"
            " hidden.",
        ),
    ] = ""
    sandbox_read: Annotated[
        list[Path] | None,
        option(
            "--sandbox-read",
            panel=_AGENT_PANEL,
            help="A further file or folder that a sandboxed agent may read; repeatable.",
        ),
    ] = None
    prompt_template: Annotated[
        str,
        option(
            "--prompt-template",
            panel=_AGENT_PANEL,
            env="EVAL_PROMPT_TEMPLATE",
            help="Text around every prompt, with {prompt} in it; @FILE reads it from a file.",
        ),
    ] = "{prompt}"
    live: Annotated[
        bool,
        option(
            "--live",
            panel=_AGENT_PANEL,
            help="Allow an agent environment that names live Google hosts.",
        ),
    ] = False


_CASES_PANEL = "Cases"


@dataclass(frozen=True, kw_only=True)
class CaseOptions:
    """Which cases."""

    suite: Annotated[
        Path | None,
        typer.Argument(help="A suite: a folder or a file. With --resume it is known already."),
    ] = None
    cases: Annotated[
        Path | None,
        option(
            "--cases",
            "--suite",
            panel=_CASES_PANEL,
            help="The suite, in the place of the argument. (default: eval/cases, if it is there)",
        ),
    ] = None
    ids: Annotated[str, option("--ids", env="EVAL_IDS", help="Case ids, comma-separated.")] = ""
    category: Annotated[
        str, option("--category", panel=_CASES_PANEL, env="EVAL_CATEGORY", help="Categories.")
    ] = ""
    tags: Annotated[
        str,
        option("--tags", env="EVAL_TAGS", help="Tags; one of them suffices."),
    ] = ""
    var: Annotated[
        list[str] | None,
        option(
            "--var",
            panel=_CASES_PANEL,
            help="NAME=VALUE for {{NAME}} in the cases' texts; repeatable.",
        ),
    ] = None
    limit: Annotated[
        int | None,
        option("--limit", panel=_CASES_PANEL, env="EVAL_LIMIT", help="At most so many cases."),
    ] = None
    shard: Annotated[
        str,
        option(
            "--shard",
            panel=_CASES_PANEL,
            env="EVAL_SHARD",
            help="i/n: every n-th of the selected cases, from the i-th. Put the runs together with"
            " `understudy runs merge`.",
        ),
    ] = ""
    keep_going: Annotated[
        bool,
        option(
            "--keep-going/--all-or-nothing",
            panel=_CASES_PANEL,
            help="What is run of a suite with invalid cases, overrides or snapshots: all others"
            " (the exit code is 2 in the end), or nothing.",
        ),
    ] = True
    allow_empty: Annotated[
        bool,
        option(
            "--allow-empty",
            panel=_CASES_PANEL,
            help="A selection without any case is no mistake: nothing is run, the exit code is 0.",
        ),
    ] = False


_WORLD_PANEL = "Mocked world"


@dataclass(frozen=True, kw_only=True)
class WorldOptions:
    """The world that the agent meets."""

    mock: Annotated[
        str,
        option("--mock", panel=_WORLD_PANEL, help="URL of a mock server that is already running."),
    ] = ""
    mock_token: Annotated[
        str,
        option(
            "--mock-token", panel=_WORLD_PANEL, env="MOCKSERVER_TOKEN", help="Its control token."
        ),
    ] = ""
    manage_server: Annotated[
        bool,
        option(
            "--manage-server/--no-manage-server",
            panel=_WORLD_PANEL,
            env="EVAL_MANAGE_SERVER",
            help="Start a mock server (and the agent's, see --serve) for this run; otherwise those"
            " at --mock (or http://127.0.0.1:8765) and at the agent's URL are used.",
        ),
    ] = True
    intercept: Annotated[
        bool | None,
        option(
            "--intercept/--no-intercept",
            panel=_WORLD_PANEL,
            help="Lead unchanged clients of command: and python: agents, HTTPS and gRPC alike, to"
            " the mock server: HTTPS_PROXY and certificates are in their environment, and HTTP"
            " clients of python: agents are led there without it. (default: where the suite"
            " declares hosts)",
        ),
    ] = None
    tunnel: Annotated[
        list[str] | None,
        option(
            "--tunnel",
            panel=_WORLD_PANEL,
            help="A host that intercepted agents reach live, such as that of their model; a glob;"
            " repeatable.",
        ),
    ] = None
    made_up: Annotated[
        bool | None,
        option(
            "--made-up/--no-made-up",
            panel=_WORLD_PANEL,
            env="EVAL_MADE_UP",
            help="Whether requests that only an OpenAPI document of the suite describes get made-up"
            " answers; if not, they get 501 with the lines of YAML that would serve them. (default:"
            " yes, but not where $CI is set, nor in replays)",
        ),
    ] = None
    perturb_tools: Annotated[
        str,
        option(
            "--perturb-tools",
            panel=_WORLD_PANEL,
            env="EVAL_PERTURB_TOOLS",
            help="Change the tools of each session in ways that a robust agent copes with:"
            f" {', '.join(TOOL_CHANGES)}, or all; by comma.",
        ),
    ] = ""
    use_base: Annotated[
        bool | None,
        option(
            "--use-base/--no-use-base",
            panel=_WORLD_PANEL,
            env="EVAL_USE_BASE",
            help="Load the base fixtures. (default: yes, unless only --use-fixtures is given)",
        ),
    ] = None
    use_fixtures: Annotated[
        bool | None,
        option(
            "--use-fixtures/--no-use-fixtures",
            panel=_WORLD_PANEL,
            env="EVAL_USE_FIXTURES",
            help="Load the cases' overrides. (default: yes, unless only --use-base is given)",
        ),
    ] = None
    fixtures: Annotated[
        bool | None,
        option(
            "--fixtures/--no-fixtures",
            panel=_WORLD_PANEL,
            env="EVAL_FIXTURES",
            help="Both of the above at once.",
        ),
    ] = None
    inject: Annotated[
        bool | None,
        option(
            "--inject/--no-inject",
            panel=_WORLD_PANEL,
            env="EVAL_INJECT",
            help="Hand the merged fixtures over in the request body, with X-Eval-Test-Mode: 1."
            " (default: only for the agent at $CHAT_URL)",
        ),
    ] = None
    inject_prompt: Annotated[
        bool,
        option(
            "--inject-prompt",
            panel=_WORLD_PANEL,
            env="EVAL_INJECT_PROMPT",
            help="Put plain-text fixtures below the first prompt.",
        ),
    ] = False
    test_mode: Annotated[
        bool,
        option(
            "--test-mode",
            panel=_WORLD_PANEL,
            env="EVAL_TEST_MODE",
            help="Make replies up without asking the agent: a rehearsal, never a verdict.",
        ),
    ] = False
    faults_matrix: Annotated[
        str,
        option(
            "--faults-matrix",
            panel=_WORLD_PANEL,
            env="EVAL_FAULTS_MATRIX",
            help="Run each case also under these fault profiles, and report what the agent recovers"
            f" from: {', '.join(FAULT_PROFILES)}, all, models, or a YAML file; by comma.",
        ),
    ] = ""


@dataclass(frozen=True, kw_only=True)
class ReplayOptions:
    """What is replayed, and how strictly."""

    replay: Annotated[
        bool,
        option(
            "--replay",
            env="EVAL_REPLAY",
            help="Cassettes and snapshots only, clocks standing still, recorded streams without"
            " waiting: two runs give the same reports but for durations.",
        ),
    ] = False
    record_models: Annotated[
        bool,
        option(
            "--record-models",
            panel=_WORLD_PANEL,
            env="EVAL_RECORD_MODELS",
            help="Record what the agent asks of live models, redacted, into one cassette a case;"
            " with --replay they answer, without a key. One trial a case, or -n N, each into a"
            " cassette of its own: trial K of a replay plays that of trial K.",
        ),
    ] = False
    strict: Annotated[
        bool,
        option(
            "--strict",
            panel=_WORLD_PANEL,
            env="EVAL_STRICT",
            help="Fail for calls that no recording answers, for recordings that nobody asked for or"
            " that may not fit, and for live addresses that the agent tried.",
        ),
    ] = False
    barriers: Annotated[
        str | None,
        option(
            "--barriers",
            panel=_WORLD_PANEL,
            help="What a read gets that was recorded after a write that the agent has not made:"
            " warn (the recording and a warning, the default), strict (a miss, as with --strict),"
            " or off.",
        ),
    ] = None
    match: Annotated[
        str,
        option(
            "--match",
            panel=_WORLD_PANEL,
            help="The parts of a request that must be equal to a recording's, of"
            " method,host,path,query,headers,body; as the cassettes say by default.",
        ),
    ] = ""


_REPORTS_PANEL = "Run and reports"
_WORKERS_PANEL = "Workers"


@dataclass(frozen=True, kw_only=True)
class TrialOptions:
    """How trials are run and kept."""

    trials: Annotated[
        int | None,
        option(
            "--trials",
            "-n",
            help="Trials for each case. (default: each case's own)",
        ),
    ] = None
    concurrency: Annotated[
        int | None,
        option(
            "--concurrency",
            "-j",
            help="Trials at a time; with --on, on each worker. (default: 4; 1 for suites of coding"
            " tasks)",
            min=1,
        ),
    ] = None
    on: Annotated[
        str,
        option(
            "--on",
            panel=_WORKERS_PANEL,
            env="EVAL_ON",
            help="Spread the trials over workers, each with a mock server of its own: processes:N"
            " of this machine, ray (the cluster at $RAY_ADDRESS or on this machine) or ray:ADDRESS;"
            " needs the extra `ray`. The run directory is written here, as ever.",
        ),
    ] = ""
    workers: Annotated[
        int | None,
        option(
            "--workers",
            panel=_WORKERS_PANEL,
            help="At most so many workers of --on ray. (default: one for each CPU that is free)",
            min=1,
        ),
    ] = None
    ship: Annotated[
        list[str] | None,
        option(
            "--ship",
            panel=_WORKERS_PANEL,
            help="A file or folder that travels to the workers of --on ray though git ignores it,"
            " such as dist; repeatable.",
        ),
    ] = None
    serial: Annotated[
        bool,
        option("--serial", panel=_REPORTS_PANEL, env="EVAL_SERIAL", help="One trial at a time."),
    ] = False
    timeout: Annotated[
        float,
        option(
            "--timeout", panel=_REPORTS_PANEL, env="EVAL_TIMEOUT", help="Seconds an agent may take."
        ),
    ] = 180.0
    retries: Annotated[
        int,
        option(
            "--retries",
            panel=_REPORTS_PANEL,
            help="Further attempts after a transport error or 429, 502, 503, 504.",
            min=0,
        ),
    ] = 2
    policy: Annotated[
        str,
        option(
            "--policy",
            panel=_REPORTS_PANEL,
            help="When a case passes: all, majority, a share, or pass_hat:K:MIN.",
        ),
    ] = "all"
    max_infra: Annotated[
        float,
        option(
            "--max-infra",
            panel=_REPORTS_PANEL,
            help="Share of infrastructure errors a run may bear.",
            min=0,
            max=1,
        ),
    ] = 0.05
    run_dir: Annotated[
        Path,
        typer.Option(
            "--run-dir",
            envvar="EVAL_RUN_DIR",
            parser=runs_directory,
            metavar="FOLDER|URL",
            rich_help_panel=_REPORTS_PANEL,
            help=RUN_DIR_HELP,
        ),
    ] = Path("runs")
    resume: Annotated[
        str,
        option("--resume", help="Finish an earlier run: its id or its folder."),
    ] = ""
    note: Annotated[str, option("--note", panel=_REPORTS_PANEL, help="Why this run is made.")] = ""
    report: Annotated[
        str,
        option(
            "--report",
            env="EVAL_REPORT",
            help="Further reports: html, csv, charts, github (annotations and the step's summary);"
            " by comma.",
        ),
    ] = ""
    json_output: Annotated[
        Path | None,
        option("--json-output", panel=_REPORTS_PANEL, help="A further copy of report.json."),
    ] = None
    as_json: Annotated[
        bool,
        option(
            "--json",
            panel=_REPORTS_PANEL,
            help="Print report.json, and nothing else, on standard output.",
        ),
    ] = False
    otel: Annotated[
        bool,
        option(
            "--otel",
            panel=_REPORTS_PANEL,
            help="Send a span for the run and for each trial to the collector at"
            " $OTEL_EXPORTER_OTLP_ENDPOINT, by OTLP over HTTP; needs the extra `otel`.",
        ),
    ] = False
    verbose: Annotated[
        bool,
        option(
            "--verbose",
            "-v",
            panel=_REPORTS_PANEL,
            env="EVAL_VERBOSE",
            help="A line for each trial.",
        ),
    ] = False
    log_format: Annotated[
        Literal["text", "json"] | None,
        option(
            "--log-format",
            panel=_REPORTS_PANEL,
            env="EVAL_LOG_FORMAT",
            help="How each trial is written to stderr: text (as --verbose does), or json, one"
            " object a line without secrets.",
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class StoreOptions:
    """Where the run is indexed."""

    db: Annotated[
        str,
        option(
            "--db",
            panel="Run and reports",
            env="EVAL_DB",
            help="Also index the run at its end: a file, or postgresql://user:password@host/name."
            " A database that is down does not stop it.",
        ),
    ] = ""


_USER_PANEL = "Simulated users"


@dataclass(frozen=True, kw_only=True)
class UserOptions:
    """Who speaks for simulated users."""

    user_model: Annotated[
        str,
        option(
            "--user-model",
            panel=_USER_PANEL,
            env="EVAL_USER_MODEL",
            help="The model that plays simulated users with a goal: openai:MODEL (any endpoint that"
            " speaks like OpenAI's) or anthropic:MODEL; keys and endpoints as the providers'"
            " variables name them. (default: the case's own, else its replies)",
        ),
    ] = ""
    user_from: Annotated[
        str,
        option(
            "--user-from",
            panel=_USER_PANEL,
            help="Let simulated users say what they said in an earlier run, by its id or folder.",
        ),
    ] = ""


_JUDGE_PANEL = "Judge"


@dataclass(frozen=True, kw_only=True)
class JudgeOptions:
    """Who judges replies."""

    judge: Annotated[
        str,
        option(
            "--judge",
            panel=_JUDGE_PANEL,
            env="EVAL_JUDGE",
            help="The model that answers `judge` expectations: openai:MODEL, anthropic:MODEL or"
            " google:MODEL; keys and endpoints as the providers' variables name them.",
        ),
    ] = ""
    judge_timeout: Annotated[
        float,
        option(
            "--judge-timeout", panel=_JUDGE_PANEL, help="Seconds that one opinion may take.", min=1
        ),
    ] = 60.0


_COMPARISON_PANEL = "Comparison with a baseline"


@dataclass(frozen=True, kw_only=True)
class GateOptions:
    """What the run is held against."""

    baseline: Annotated[
        str,
        option(
            "--baseline",
            env="EVAL_BASELINE",
            help="Hold the run against an earlier one, by its id or folder, or against a FILE.json"
            " of --save-baseline; exit code 4 for a regression.",
        ),
    ] = ""
    save_baseline: Annotated[
        bool,
        option(
            "--save-baseline",
            panel=_COMPARISON_PANEL,
            help="Make this run the baseline: in the FILE.json that --baseline names, or of its"
            " suite. Not if it regressed or has no verdict.",
        ),
    ] = False
    margin: Annotated[
        float,
        option(
            "--margin",
            panel=_COMPARISON_PANEL,
            help="How much lower the mean rate may be and still count as not worse.",
            min=0,
            max=1,
        ),
    ] = 0.05
    threshold: Annotated[
        float | None,
        option(
            "--threshold",
            panel=_COMPARISON_PANEL,
            help="Also fail for any case whose rate fell by more than this. With few trials this"
            " alarms nearly always, also where nothing got worse.",
            min=0,
            max=1,
        ),
    ] = None
    until_decided: Annotated[
        bool,
        option(
            "--until-decided",
            panel=_COMPARISON_PANEL,
            help="With --baseline: 3 trials a case, then 6, then 12 while nothing is decided;"
            " each look takes a third of alpha.",
        ),
    ] = False
    min_stability: Annotated[
        float | None,
        option(
            "--min-stability",
            panel=_COMPARISON_PANEL,
            help="Fail for any case whose reviews are less alike than this, in spans or in"
            " severities.",
            min=0.01,
            max=1,
        ),
    ] = None
    allow_removed: Annotated[
        bool,
        option(
            "--allow-removed",
            panel=_COMPARISON_PANEL,
            help="Do not fail for cases of the baseline that the run does not have.",
        ),
    ] = False


@dataclass(frozen=True, kw_only=True)
class RunOptions(
    GateOptions,
    JudgeOptions,
    UserOptions,
    StoreOptions,
    TrialOptions,
    ReplayOptions,
    WorldOptions,
    CaseOptions,
    AgentOptions,
):
    """What `understudy run` was told; None where nothing was said."""


def parse_run_options(arguments: Sequence[str]) -> tuple[RunOptions, set[str]]:
    """Read options as `understudy run` reads them, variables of the environment included.

    Args:
        arguments: As on the command line.

    Returns:
        The options, and the names of those that were given here.

    Raises:
        HarnessError: There is no such option, or it has no such value.
    """
    found: list[tuple[RunOptions, set[str]]] = []

    def keep(ctx: typer.Context, options: RunOptions) -> None:
        source = ctx.get_parameter_source
        given = {name for name in ctx.params if getattr(source(name), "name", "") == "COMMANDLINE"}
        found.append((options, given))

    app = typer.Typer(add_completion=False)
    app.command(name="run", add_help_option=False)(with_run_options(keep))
    command: Any = typer.main.get_command(app)
    try:
        command.main(args=list(arguments), prog_name="run", standalone_mode=False)
    except Exception as error:
        told = getattr(error, "format_message", None)
        if told is None:
            raise
        raise HarnessError(told()) from None
    if found[0][0].further_agents:
        raise HarnessError("several agents are for `understudy run`", hint="give one --agent")
    return found[0]


Command = TypeVar("Command", bound=Callable[..., None])


def with_run_options(
    command: Callable[[typer.Context, RunOptions], None], *, without: Collection[str] = ()
) -> Callable[..., None]:
    """A command whose parameters are the fields of `RunOptions`, as typer reads them.

    Args:
        command: The command.
        without: Fields that it does not have as options.
    """
    hints = get_type_hints(RunOptions, include_extras=True)
    hints["agent"] = Annotated[list[str] | None, *get_args(hints["agent"])[1:]]

    def run(ctx: typer.Context, **given: Any) -> None:
        first, *others = given.pop("agent") or [None]
        command(ctx, RunOptions(**given, agent=first, further_agents=tuple(others)))

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
        if item.name not in {*without, "further_agents"}
    ]
    run.__signature__ = inspect.Signature([context, *options])  # type: ignore[attr-defined]
    run.__annotations__ = {"ctx": typer.Context, **hints}
    run.__doc__ = command.__doc__
    return run
