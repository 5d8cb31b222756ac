"""The options of `understudy run`, by group, each with its environment variable.

The tables of what options accept stand with what they name (`harness.agents.profiles`,
`harness.cases.fault_profiles`). `--help` does not import them; a test holds the names here against
them.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_type_hints

import typer

from harness.cli.options import RUN_DIR_HELP, runs_directory
from harness.errors import HarnessError
from mockserver.commands import with_options

__all__ = ["CHAT_URL", "RunOptions", "options_given", "parse_run_options", "with_run_options"]


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
            help="The agent: http:URL, a2a:URL, langgraph:URL, mcp:URL#TOOL or mcp:CMD#TOOL, "
            "service:URL, command:CMD, python:module:function, one of a framework "
            "(pydantic-ai:, langgraph:, openai-agents:, adk:, crewai:, claude-agent:, "
            "smolagents:, each with module:agent), model:PROVIDER/NAME, scripted:FILE, "
            "null, echo or oracle. (default: http: at $CHAT_URL) Several agents make one "
            "run each, and a table that compares them.",
        ),
    ] = None
    further_agents: tuple[str, ...] = ()
    chat_url: Annotated[
        str,
        option(
            "--chat-url",
            panel=_AGENT_PANEL,
            env="CHAT_URL",
            help="The URL of the agent if --agent is not given.",
        ),
    ] = CHAT_URL
    base_url: Annotated[
        str,
        option(
            "--base-url",
            panel=_AGENT_PANEL,
            help="The service that gets a suite's requests if --agent is not given, at "
            "/v1/review unless the URL has another path.",
        ),
    ] = "http://localhost:9020"
    backend: Annotated[
        str,
        option(
            "--backend",
            panel=_AGENT_PANEL,
            help="The name of a service's backend; for display only.",
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
            help="Bearer token for http: agents, instead of the session's, and for service: "
            "agents, instead of demo-token.",
        ),
    ] = ""
    input: Annotated[
        str,
        option(
            "--input",
            panel=_AGENT_PANEL,
            help="What command: agents read: text (the turn's prompt on stdin, or in place of "
            "{prompt}) or json (the whole conversation on stdin).",
        ),
    ] = "text"
    agent_cwd: Annotated[
        str,
        option(
            "--agent-cwd",
            panel=_AGENT_PANEL,
            env="EVAL_AGENT_CWD",
            help="The working folder of an agent that the harness starts: the trial's "
            "workspace (workspace), or the folder where the run was started (here), with "
            "the workspace in $WORKSPACE.",
        ),
    ] = "workspace"
    env: Annotated[
        list[str] | None,
        option(
            "--env",
            panel=_AGENT_PANEL,
            help="A variable, NAME or NAME=VALUE, for python: agents and for command: agents, "
            "whose environment is otherwise minimal; repeatable.",
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
            help="Run a python: agent in its own process for each trial (the default), or in "
            "the harness's process.",
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
            help="Run a command: agent in a sandbox, bubblewrap or docker:IMAGE: it reaches "
            "only the mock server, writes only in its workspace, and does not see your "
            "home, the suite or the runs.",
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
        typer.Argument(help="A suite: a folder or a file. Not needed with --resume."),
    ] = None
    cases: Annotated[
        Path | None,
        option(
            "--cases",
            "--suite",
            panel=_CASES_PANEL,
            help="The suite, instead of the argument. (default: eval/cases, if it is there)",
        ),
    ] = None
    ids: Annotated[str, option("--ids", env="EVAL_IDS", help="Case ids, comma-separated.")] = ""
    category: Annotated[
        str,
        option(
            "--category",
            panel=_CASES_PANEL,
            env="EVAL_CATEGORY",
            help="Cases of these categories, comma-separated.",
        ),
    ] = ""
    tags: Annotated[
        str,
        option(
            "--tags",
            env="EVAL_TAGS",
            help="Cases with at least one of these tags, comma-separated.",
        ),
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
        option(
            "--limit", panel=_CASES_PANEL, env="EVAL_LIMIT", help="The largest number of cases."
        ),
    ] = None
    shard: Annotated[
        str,
        option(
            "--shard",
            panel=_CASES_PANEL,
            env="EVAL_SHARD",
            help="i/n: every n-th of the selected cases, from the i-th. Merge the runs with "
            "`understudy runs merge`.",
        ),
    ] = ""
    keep_going: Annotated[
        bool,
        option(
            "--keep-going/--all-or-nothing",
            panel=_CASES_PANEL,
            help="In a suite with invalid cases, overrides or snapshots, run all others (the "
            "exit code is then 2), or run nothing.",
        ),
    ] = True
    allow_empty: Annotated[
        bool,
        option(
            "--allow-empty",
            panel=_CASES_PANEL,
            help="If no case is selected, run nothing and exit with 0.",
        ),
    ] = False


_WORLD_PANEL = "Mocked world"


@dataclass(frozen=True, kw_only=True)
class WorldOptions:
    """The world that the agent meets."""

    mock: Annotated[
        str,
        option(
            "--mock",
            panel=_WORLD_PANEL,
            help="The URL of a running mock server to use.",
        ),
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
            help="Route the unmodified HTTPS and gRPC clients of command: and python: agents "
            "to the mock server: by HTTPS_PROXY and certificates in their environment, "
            "and for HTTP clients of python: agents without a proxy. (default: where the "
            "suite declares hosts)",
        ),
    ] = None
    tunnel: Annotated[
        list[str] | None,
        option(
            "--tunnel",
            panel=_WORLD_PANEL,
            help="A host, or glob, that intercepted agents reach live, such as the host of "
            "their model; repeatable.",
        ),
    ] = None
    made_up: Annotated[
        bool | None,
        option(
            "--made-up/--no-made-up",
            panel=_WORLD_PANEL,
            env="EVAL_MADE_UP",
            help="Synthesize answers for requests that only an OpenAPI document of the suite "
            "describes, or answer them with 501 and the lines of YAML that would serve "
            "them. (default: yes, but not where $CI is set, nor in replays)",
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
            help="Set --use-base and --use-fixtures together.",
        ),
    ] = None
    inject: Annotated[
        bool | None,
        option(
            "--inject/--no-inject",
            panel=_WORLD_PANEL,
            env="EVAL_INJECT",
            help="Send the merged fixtures in the request body, with X-Eval-Test-Mode: 1. "
            "(default: only for the agent at $CHAT_URL)",
        ),
    ] = None
    inject_prompt: Annotated[
        bool,
        option(
            "--inject-prompt",
            panel=_WORLD_PANEL,
            env="EVAL_INJECT_PROMPT",
            help="Append plain-text fixtures to the first prompt.",
        ),
    ] = False
    test_mode: Annotated[
        bool,
        option(
            "--test-mode",
            panel=_WORLD_PANEL,
            env="EVAL_TEST_MODE",
            help="Use invented replies instead of the agent, to try out a suite; gives no verdict.",
        ),
    ] = False
    faults_matrix: Annotated[
        str,
        option(
            "--faults-matrix",
            panel=_WORLD_PANEL,
            env="EVAL_FAULTS_MATRIX",
            help="Also run each case under these fault profiles, and report which ones the"
            f" agent recovers from: {', '.join(FAULT_PROFILES)}, all, models,"
            " or a YAML file; by comma.",
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
            help="Use only cassettes and snapshots, freeze clocks, and play recorded streams "
            "without pauses: two runs give the same reports except for durations.",
        ),
    ] = False
    record_models: Annotated[
        bool,
        option(
            "--record-models",
            panel=_WORLD_PANEL,
            env="EVAL_RECORD_MODELS",
            help="Record the agent's calls of live models, redacted, in one cassette per case; "
            "--replay answers from them, without a key. With -n N each trial has its own "
            "cassette, and trial K of a replay plays that of trial K; by default one "
            "trial is run.",
        ),
    ] = False
    strict: Annotated[
        bool,
        option(
            "--strict",
            panel=_WORLD_PANEL,
            env="EVAL_STRICT",
            help="Fail on calls that no recording answers, on recordings that were not used or "
            "may not fit, and on live addresses that the agent tried to reach.",
        ),
    ] = False
    barriers: Annotated[
        str | None,
        option(
            "--barriers",
            panel=_WORLD_PANEL,
            help="What answers a read that was recorded after a write that the agent has not "
            "made: warn (the recording, with a warning; the default), strict (a miss, as "
            "with --strict), or off (the recording).",
        ),
    ] = None
    match: Annotated[
        str,
        option(
            "--match",
            panel=_WORLD_PANEL,
            help="The parts of a request that must match a recording, out of "
            "method,host,path,query,headers,body. (default: as the cassettes set)",
        ),
    ] = ""
    exact: Annotated[
        bool,
        option(
            "--exact",
            panel=_WORLD_PANEL,
            help="Refuse near answers: those to a request with other times, ids, temporary paths.",
        ),
    ] = False


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
            help="How many trials run at the same time; with --on, on each worker. (default: "
            "4; 1 for suites of coding tasks)",
            min=1,
        ),
    ] = None
    on: Annotated[
        str,
        option(
            "--on",
            panel=_WORKERS_PANEL,
            env="EVAL_ON",
            help="Distribute the trials over workers, each with its own mock server: "
            "processes:N of this machine, ray (the cluster at $RAY_ADDRESS or on this "
            "machine) or ray:ADDRESS; needs the extra `ray`. The run directory is still "
            "written on this machine.",
        ),
    ] = ""
    workers: Annotated[
        int | None,
        option(
            "--workers",
            panel=_WORKERS_PANEL,
            help="The largest number of workers of --on ray. (default: one for each CPU that "
            "is free)",
            min=1,
        ),
    ] = None
    ship: Annotated[
        list[str] | None,
        option(
            "--ship",
            panel=_WORKERS_PANEL,
            help="A file or folder, such as dist, that is sent to the workers of --on ray "
            "although git ignores it; repeatable.",
        ),
    ] = None
    serial: Annotated[
        bool,
        option(
            "--serial", panel=_REPORTS_PANEL, env="EVAL_SERIAL", help="Run one trial at a time."
        ),
    ] = False
    timeout: Annotated[
        float,
        option(
            "--timeout",
            panel=_REPORTS_PANEL,
            env="EVAL_TIMEOUT",
            help="The seconds that an agent may take.",
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
            help="The share of infrastructure errors that a run may have and still give a verdict.",
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
    note: Annotated[
        str, option("--note", panel=_REPORTS_PANEL, help="A note on why this run is made.")
    ] = ""
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
        option("--json-output", panel=_REPORTS_PANEL, help="Also write report.json to this file."),
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
            help="Print a line for each trial.",
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
            help="Also index the run at its end: a file, or "
            "postgresql://user:password@host/name. A database that is down does not stop "
            "the run.",
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
            help="The model that plays simulated users with a goal: openai:MODEL (any endpoint "
            "that is compatible with OpenAI's) or anthropic:MODEL; keys and endpoints "
            "come from the providers' environment variables. (default: the case's own, "
            "else its replies)",
        ),
    ] = ""
    user_from: Annotated[
        str,
        option(
            "--user-from",
            panel=_USER_PANEL,
            help="Let simulated users repeat what they said in an earlier run, by its id or "
            "folder.",
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
            help="The model that answers `judge` expectations: openai:MODEL, anthropic:MODEL "
            "or google:MODEL; keys and endpoints come from the providers' environment "
            "variables.",
        ),
    ] = ""
    judge_timeout: Annotated[
        float,
        option(
            "--judge-timeout",
            panel=_JUDGE_PANEL,
            help="The seconds that one answer of the judge may take.",
            min=1,
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
            help="Compare the run with an earlier one, by its id or folder, or with a "
            "FILE.json of --save-baseline; the exit code is 4 for a regression.",
        ),
    ] = ""
    save_baseline: Annotated[
        bool,
        option(
            "--save-baseline",
            panel=_COMPARISON_PANEL,
            help="Save this run as the baseline of its suite, or in the FILE.json that "
            "--baseline names, unless it regressed or has no verdict.",
        ),
    ] = False
    margin: Annotated[
        float,
        option(
            "--margin",
            panel=_COMPARISON_PANEL,
            help="How much lower the mean rate may be and still count as not worse than the "
            "baseline.",
            min=0,
            max=1,
        ),
    ] = 0.05
    threshold: Annotated[
        float | None,
        option(
            "--threshold",
            panel=_COMPARISON_PANEL,
            help="Also fail if the rate of any case fell by more than this. With few trials "
            "this nearly always gives false alarms.",
            min=0,
            max=1,
        ),
    ] = None
    until_decided: Annotated[
        bool,
        option(
            "--until-decided",
            panel=_COMPARISON_PANEL,
            help="With --baseline: run 3 trials per case, then up to 6, then up to 12, until "
            "the comparison is decided; each comparison uses a third of alpha.",
        ),
    ] = False
    min_stability: Annotated[
        float | None,
        option(
            "--min-stability",
            panel=_COMPARISON_PANEL,
            help="Fail if the reviews of any case are less similar than this, in spans or in "
            "severities.",
            min=0.01,
            max=1,
        ),
    ] = None
    allow_removed: Annotated[
        bool,
        option(
            "--allow-removed",
            panel=_COMPARISON_PANEL,
            help="Do not fail if the run lacks cases that the baseline has.",
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
    """What `understudy run` was told; None where nothing was said.

    A new option is a field of one of the groups above. The lists below say where an option may not
    be given; a test lists the fields that stand in none of them.
    """


FIXED = (
    "cases", "base_url", "backend",
    "ids", "category", "tags", "limit", "profile", "input", "isolate", "sandbox", "prompt_template",
    "agent_cwd",
    "use_base", "use_fixtures", "fixtures", "inject", "inject_prompt", "test_mode", "trials",
    "timeout", "retries", "policy", "note", "replay", "made_up", "strict", "barriers", "match",
    "exact",
    "tools", "shard", "keep_going", "faults_matrix", "judge", "var", "until_decided",
    "user_model",
    "perturb_tools", "record_models",
)  # fmt: skip
"""Options that a resumed run keeps from its manifest: they may not be given with --resume."""


OF_WHOLE_RUNS = frozenset({
    "agent", "serve", "suite", "cases", "shard", "keep_going", "allow_empty", "run_dir",
    "resume", "note", "report", "json_output", "as_json", "verbose",
    "log_format", "db", "max_infra", "concurrency",
    "serial", "baseline", "save_baseline", "margin", "threshold", "until_decided",
    "min_stability", "allow_removed",
})  # fmt: skip
"""Options that say nothing of a single case, or that pytest has itself: not for --agent-args."""


NOT_OF_REPLAYS = frozenset({
    "replay", "live", "mock", "mock_token", "manage_server", "use_base", "use_fixtures",
    "fixtures", "test_mode", "resume", "record_models", "made_up",
})  # fmt: skip
"""What would let something else in than the suite's own recordings and snapshots: not options of
`understudy replay`."""


def options_given(ctx: typer.Context) -> set[str]:
    """The names of the options that were given on the command line."""
    source = ctx.get_parameter_source
    return {name for name in ctx.params if getattr(source(name), "name", "") == "COMMANDLINE"}


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
        found.append((options, options_given(ctx)))

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


def with_run_options(
    command: Callable[[typer.Context, RunOptions], None], *, without: Collection[str] = ()
) -> Callable[..., None]:
    """A command whose options are the fields of `RunOptions`; `--agent` may be given repeatedly.

    Args:
        command: The command.
        without: Fields that it does not have as options.
    """
    _, *about = get_args(get_type_hints(AgentOptions, include_extras=True)["agent"])

    def run(ctx: typer.Context, options: RunOptions) -> None:
        given: Any = options.agent  # a list here: the option may be repeated
        first, *others = given or [None]
        command(ctx, replace(options, agent=first, further_agents=tuple(others)))

    run.__doc__ = command.__doc__
    return with_options(
        run, without={*without, "further_agents"}, agent=Annotated[list[str] | None, *about]
    )
