"""Options of `harness run`: the world that the agent meets."""

from dataclasses import dataclass
from typing import Annotated

from harness.cli.options.names import FAULT_PROFILES
from harness.cli.options.option import option

_PANEL = "Mocked world"


@dataclass(frozen=True, kw_only=True)
class WorldOptions:
    """The world that the agent meets."""

    mock: Annotated[
        str, option("--mock", panel=_PANEL, help="URL of a mock server that is already running.")
    ] = ""
    mock_token: Annotated[
        str,
        option("--mock-token", panel=_PANEL, env="MOCKSERVER_TOKEN", help="Its control token."),
    ] = ""
    manage_server: Annotated[
        bool,
        option(
            "--manage-server/--no-manage-server",
            panel=_PANEL,
            env="EVAL_MANAGE_SERVER",
            help="Start a mock server (and the agent's, see --serve) for this run; otherwise those"
            " at --mock (or http://127.0.0.1:8765) and at the agent's URL are used.",
        ),
    ] = True
    intercept: Annotated[
        bool,
        option(
            "--intercept",
            panel=_PANEL,
            help="Lead unchanged clients of command: agents, HTTPS and gRPC alike, to the mock"
            " server: HTTPS_PROXY and certificates are in their environment.",
        ),
    ] = False
    use_base: Annotated[
        bool | None,
        option(
            "--use-base/--no-use-base",
            panel=_PANEL,
            env="EVAL_USE_BASE",
            help="Load the base fixtures. (default: yes, unless only --use-fixtures is given)",
        ),
    ] = None
    use_fixtures: Annotated[
        bool | None,
        option(
            "--use-fixtures/--no-use-fixtures",
            panel=_PANEL,
            env="EVAL_USE_FIXTURES",
            help="Load the cases' overrides. (default: yes, unless only --use-base is given)",
        ),
    ] = None
    fixtures: Annotated[
        bool | None,
        option(
            "--fixtures/--no-fixtures",
            panel=_PANEL,
            env="EVAL_FIXTURES",
            help="Both of the above at once.",
        ),
    ] = None
    inject: Annotated[
        bool | None,
        option(
            "--inject/--no-inject",
            panel=_PANEL,
            env="EVAL_INJECT",
            help="Hand the merged fixtures over in the request body, with X-Eval-Test-Mode: 1."
            " (default: only for the agent at $CHAT_URL)",
        ),
    ] = None
    inject_prompt: Annotated[
        bool,
        option(
            "--inject-prompt",
            panel=_PANEL,
            env="EVAL_INJECT_PROMPT",
            help="Put plain-text fixtures below the first prompt.",
        ),
    ] = False
    test_mode: Annotated[
        bool,
        option(
            "--test-mode",
            panel=_PANEL,
            env="EVAL_TEST_MODE",
            help="Make replies up without asking the agent: a rehearsal, never a verdict.",
        ),
    ] = False
    faults_matrix: Annotated[
        str,
        option(
            "--faults-matrix",
            panel=_PANEL,
            env="EVAL_FAULTS_MATRIX",
            help="Run each case also under these fault profiles, and report what the agent recovers"
            f" from: {', '.join(FAULT_PROFILES)}, all, or a YAML file; by comma.",
        ),
    ] = ""
