"""Options of `harness run`: the agent, and the way to reach it."""

from dataclasses import dataclass
from typing import Annotated

from harness.cli.options.names import HTTP_PROFILES_TOLD
from harness.cli.options.option import option

CHAT_URL = "http://localhost:3100/api/chat"
_PANEL = "Agent"


@dataclass(frozen=True, kw_only=True)
class AgentOptions:
    """The agent, and the way to reach it."""

    agent: Annotated[
        str | None,
        option(
            "--agent",
            "-a",
            panel=_PANEL,
            help="The agent: http:URL, service:URL, command:CMD, python:module:function,"
            " scripted:FILE, null, echo or oracle. (default: http: at $CHAT_URL)",
        ),
    ] = None
    chat_url: Annotated[
        str, option("--chat-url", panel=_PANEL, env="CHAT_URL", help="Used without --agent.")
    ] = CHAT_URL
    base_url: Annotated[
        str,
        option(
            "--base-url",
            panel=_PANEL,
            help="The service that a suite of requests is sent to, without --agent; /v1/review is"
            " asked unless the URL names another path.",
        ),
    ] = "http://localhost:9020"
    backend: Annotated[
        str,
        option("--backend", panel=_PANEL, help="What stands behind a service; for display only."),
    ] = "ollama"
    profile: Annotated[
        str,
        option(
            "--profile",
            panel=_PANEL,
            help=f"What http: agents are sent: {HTTP_PROFILES_TOLD}. The reply is read by its"
            " Content-Type.",
        ),
    ] = "ai-sdk"
    header: Annotated[
        list[str] | None,
        option("--header", "-H", panel=_PANEL, help="'Name: value' for http: agents; repeatable."),
    ] = None
    serve: Annotated[
        str,
        option(
            "--serve",
            panel=_PANEL,
            env="EVAL_SERVE",
            help="Command that serves the http: agent: started for this run with the mocked APIs in"
            " its environment (GOOGLE_API_BASE_URL, TOOLS_BASE_URL), and stopped after it.",
        ),
    ] = ""
    token: Annotated[
        str,
        option(
            "--token",
            panel=_PANEL,
            env="EVAL_TOKEN",
            help="Bearer token for http: agents, in the place of the session's, and for service:"
            " agents, in the place of demo-token.",
        ),
    ] = ""
    input: Annotated[
        str,
        option(
            "--input",
            panel=_PANEL,
            help="What command: agents read: text (the turn's prompt on stdin, or in the place of"
            " {prompt}) or json (the whole conversation on stdin).",
        ),
    ] = "text"
    env: Annotated[
        list[str] | None,
        option(
            "--env",
            panel=_PANEL,
            help="NAME or NAME=VALUE for command: agents, which otherwise get a minimal"
            " environment, and python: agents; repeatable.",
        ),
    ] = None
    tools: Annotated[
        str,
        option(
            "--tools",
            panel=_PANEL,
            env="EVAL_TOOLS",
            help="The agent's own tools, comma-separated globs; a case that requires others is"
            " skipped.",
        ),
    ] = ""
    isolate: Annotated[
        bool,
        option(
            "--isolate/--no-isolate",
            panel=_PANEL,
            help="Run a python: agent in a process of its own for each trial (the default), or in"
            " the harness's.",
        ),
    ] = True
    prompt_template: Annotated[
        str,
        option(
            "--prompt-template",
            panel=_PANEL,
            env="EVAL_PROMPT_TEMPLATE",
            help="Text around every prompt, with {prompt} in it; @FILE reads it from a file.",
        ),
    ] = "{prompt}"
    live: Annotated[
        bool,
        option(
            "--live", panel=_PANEL, help="Allow an agent environment that names live Google hosts."
        ),
    ] = False
