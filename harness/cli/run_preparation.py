"""Prepares new and resumed runs: from options to suite, cases, agent, settings and warnings."""

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import get_args

from harness.agents import (
    OWN_TOKENS,
    DriverOptions,
    checked_header,
    starts_program,
    takes_fixtures,
    without_secrets,
)
from harness.cases import Suite, variables_of
from harness.cli.case_selection import (
    problems_of_selection,
    selected_cases,
    servable_cases,
    suite_of,
    with_fault_profiles,
)
from harness.cli.options import run_path, split_list
from harness.cli.run_options import FIXED, RunOptions
from harness.cli.tool_changes import read_perturbations
from harness.environment import declared_hosts
from harness.errors import CaseProblem, HarnessError, InvalidCasesError, reason_of
from harness.judge import judge_spec
from harness.model import Case, Judge, RunManifest
from harness.runner import (
    Clock,
    Fork,
    NewRun,
    RunSettings,
    begin_run,
    check_template,
    check_unchanged,
    read_policy,
    settings_of,
)
from harness.storage import RunFolder, is_store_url, mirror_of
from mockserver.model import MATCH_PARTS, Barriers, MatchPart

DEFAULT_CASES = Path("eval", "cases")
"""Where the cases are, when none are named and this folder is there."""

_SERVICE = "service:"
_COMMAND = "command:"


def with_suite(options: RunOptions) -> RunOptions:
    """The options with the suite that is meant: the argument, `--cases`, or `eval/cases`.

    Raises:
        HarnessError: Two suites are named.
    """
    if options.suite is not None and options.cases is not None:
        raise HarnessError("two suites are named", hint="give the argument or --cases")
    named = options.suite or options.cases
    return replace(options, suite=named or (DEFAULT_CASES if DEFAULT_CASES.is_dir() else None))


def with_service(options: RunOptions, cases: Sequence[Case]) -> RunOptions:
    """The options with the agent that is meant: requests go to the service at `--base-url`.

    Raises:
        HarnessError: A case has no request that could be sent to a service.
    """
    silent = [case.id for case in cases if case.request is None]
    if options.agent is None and cases and not silent and not options.test_mode:
        return replace(options, agent=_SERVICE + options.base_url)
    if silent and is_service(options):
        hint = "use another agent, or give the case a request"
        raise HarnessError(f"case {silent[0]} has no request to send to a service", hint=hint)
    return options


def is_service(options: RunOptions) -> bool:
    """Whether the agent is a service."""
    return (options.agent or "").startswith(_SERVICE)


def with_registered_suite(options: RunOptions) -> RunOptions:
    """The options with the path of the suite where its registered name was given.

    Raises:
        HarnessError: The file of registered suites cannot be read.
    """
    if options.suite is None or options.suite.exists():
        return options
    from harness.storage import RegisteredSuites

    known = RegisteredSuites(options.run_dir).get(str(options.suite))
    return options if known is None else replace(options, suite=Path(known.path))


def run_warnings(cases: Sequence[Case], agent: str, settings: RunSettings) -> list[str]:
    """What a run will not show as it is asked for, one sentence each."""
    found = []
    overridden = [case.id for case in cases if case.fixtures.overrides]
    if overridden and not settings.use_overrides:
        found.append(
            f"overrides that are not loaded: {_first_few(overridden)};"
            " give --use-fixtures (EVAL_USE_FIXTURES=1) too"
        )
    if not settings.use_base:
        found.append("the base fixtures are not loaded: give --use-base (EVAL_USE_BASE=1) too")
    judged = [case.id for case in cases if any(isinstance(each, Judge) for each in case.expect)]
    if judged and not settings.judge and not settings.synthetic:
        found.append(f"nobody judges {_first_few(judged)}: name a model with --judge")
    several = [case.id for case in cases if len(case.turns) > 1 or case.user is not None]
    if several and agent.startswith("command:") and settings.input == "text":
        found.append(
            f"{_first_few(several)}: a command gets each turn alone on stdin;"
            " --input json hands over the whole conversation"
        )
    return found


def _first_few(names: list[str]) -> str:
    more = len(names) - 3
    return ", ".join(names[:3]) + (f" and {more} more" if more > 0 else "")


def trial_count(options: RunOptions) -> int | None:
    """How many trials each case is given at first; None where each case has its own number.

    Raises:
        HarnessError: There are to be none, or two options want to tell the number.
    """
    if options.trials is not None and options.trials < 1:
        raise HarnessError(f"--trials is {options.trials}; at least 1 is needed")
    if not options.until_decided:
        return options.trials
    if options.trials is not None or options.shard:
        other = "--shard" if options.shard else "--trials"
        raise HarnessError(f"--until-decided tells the trials itself; leave {other} out")
    from harness.statistics import LOOKS

    return LOOKS[0]


_REDACTED = "[redacted]"
CONCURRENCY = 4


@dataclass(frozen=True)
class PreparedRun:
    """A run that can start.

    Attributes:
        suite: The suite.
        cases: Its selected cases.
        agent: The agent spec, with its secrets.
        settings: What shapes the trials.
        open: Gives the run directory: makes that of a new run.
        warnings: What the user should know before it starts.
        fork: What its trials are forks of, or None.
    """

    suite: Suite
    cases: tuple[Case, ...]
    agent: str
    settings: RunSettings
    open: Callable[[Clock], RunFolder]
    warnings: tuple[str, ...] = ()
    fork: Fork | None = None


@dataclass(frozen=True)
class SelectedCases:
    """The cases of a new run, before the mock server has looked at their snapshots.

    Attributes:
        options: What was said, with the suite that is meant.
        suite: The suite.
        cases: Its selected cases.
        errors: What is wrong with cases that were selected and are left out.
    """

    options: RunOptions
    suite: Suite
    cases: tuple[Case, ...]
    errors: tuple[CaseProblem, ...]


def select_run_cases(options: RunOptions) -> SelectedCases:
    """Read the suite that the options name, and select the cases of a new run.

    Raises:
        HarnessError: No suite is named or found, or no case is selected.
        InvalidCasesError: A case is invalid.
    """
    options = with_registered_suite(with_suite(options))
    if options.suite is None:
        raise HarnessError("no suite given", hint="understudy run fixtures/chrome-enterprise ...")
    variables = variables_of(options.var or ())
    suite = suite_of(options.suite, keep_going=options.keep_going, variables=variables)
    cases = selected_cases(options, suite)
    return SelectedCases(options, suite, cases, tuple(problems_of_selection(suite, options.ids)))


def prepare_new(selected: SelectedCases, problems: Sequence[CaseProblem] = ()) -> PreparedRun:
    """Prepare a new run: everything is checked before its directory is made.

    Args:
        selected: Its cases.
        problems: What the mock server says is wrong in the snapshots of the suite.

    Raises:
        HarnessError: Options, suite or selection make no sense.
        InvalidCasesError: The snapshot of a case cannot be served.
    """
    suite, options = selected.suite, selected.options
    unservable = [each for each in problems if each.level == "error"]
    cases, lost = servable_cases(selected.cases, suite.path, unservable)
    if lost and (not options.keep_going or not cases):
        raise InvalidCasesError(lost)
    errors = [*selected.errors, *lost]
    options = with_service(options, cases)
    settings = new_settings(options, suite)
    agent = agent_spec(options)
    order = NewRun(
        suite=str(options.suite),
        cases=cases,
        agent=agent,
        policy=read_policy(options.policy),
        settings=settings,
        note=options.note,
        left_out=tuple(dict.fromkeys(item.where for item in errors)),
        suite_cases=len(suite.cases),
    )
    warnings = (
        *(f"invalid, left out: {item}" for item in errors),
        *map(str, problems_of_selection(suite, options.ids, "warning")),
        *run_warnings(cases, agent, settings),
    )

    def open_folder(clock: Clock) -> RunFolder:
        return begin_run(order, options.run_dir, clock)

    return PreparedRun(suite, cases, agent, settings, open_folder, warnings)


def prepare_resumed(options: RunOptions, given_options: Collection[str]) -> PreparedRun:
    """Prepare the rest of an earlier run.

    Args:
        options: What was said now.
        given_options: The names of the options that were given on the command line.

    Raises:
        HarnessError: There is no such run, its cases have changed, or options contradict it.
    """
    folder = RunFolder(_run_folder(options))
    manifest = folder.manifest()
    contradicting = [name for name in FIXED if name in given_options]
    if contradicting:
        named = ", ".join(f"--{name.replace('_', '-')}" for name in contradicting)
        raise HarnessError(f"a resumed run keeps its own {named}", hint="leave them out")
    settings = settings_of(manifest)
    suite = suite_of(
        options.suite or Path(manifest.suite),
        keep_going=bool(manifest.left_out),
        variables=settings_of(manifest).variables,
    )
    cases = check_unchanged(manifest, with_fault_profiles(suite.cases, settings.faults_matrix))
    settings = settings.model_copy(update={"concurrency": _concurrency(options, suite)})
    check_secrets(options, settings)
    agent = resumed_agent(options, manifest)
    warnings = tuple(map(str, suite.warnings))
    return PreparedRun(suite, cases, agent, settings, lambda _clock: folder, warnings)


def new_settings(options: RunOptions, suite: Suite | None = None) -> RunSettings:
    """What shapes the trials of a new run.

    Args:
        options: What was said.
        suite: Whose cases are run, where that is known.

    Raises:
        HarnessError: A number is out of its range, or an option does not fit the agent.
    """
    base, overrides = fixture_switches(options)
    inject = options.agent is None if options.inject is None else options.inject
    barriers, match = _replay_options(options)
    settings = RunSettings(
        trials=trial_count(options),
        concurrency=_concurrency(options, suite),
        timeout_s=_checked_positive("--timeout", options.timeout),
        retries=options.retries,
        profile=options.profile,
        backend=options.backend if is_service(options) else "",
        input=options.input,
        agent_cwd=options.agent_cwd,
        isolate=options.isolate,
        sandbox=options.sandbox,
        template=_read_template(options.prompt_template),
        inject=inject and not options.test_mode,
        inject_prompt=options.inject_prompt,
        synthetic=options.test_mode,
        use_base=base,
        use_overrides=overrides,
        header_names=tuple(headers_of(options)),
        env_names=tuple(environment_of(options, os.environ)),
        replay=options.replay,
        made_up=_makes_up(options),
        strict=options.strict,
        barriers=barriers,
        match=match,
        exact=options.exact,
        variables=variables_of(options.var or ()),
        tools=tuple(split_list(options.tools)),
        shard=options.shard,
        faults_matrix=options.faults_matrix,
        judge=str(judge_spec(options.judge)) if options.judge else "",
        until_decided=options.until_decided,
        user_model=options.user_model,
        perturbed=read_perturbations(options.perturb_tools),
        record_models=options.record_models,
    )
    if settings.record_models:
        settings = settings.model_copy(update={"trials": _trials_of_recording(options)})
    if settings.replay and options.live:
        raise HarnessError("a replay reaches no live host", hint="leave --live out")
    if options.tunnel and (settings.replay or options.intercept is False):
        why = "a replay reaches no live host" if settings.replay else "--no-intercept leads nobody"
        raise HarnessError(f"--tunnel is for intercepted agents; {why}", hint="leave it out")
    if (options.intercept or options.tunnel) and not _can_intercept(
        options, isolate=settings.isolate
    ):
        hint = (
            "a server of this run's own, and an agent that is started: command:, python: without"
            " --no-isolate, or one of a framework"
        )
        named = "--intercept" if options.intercept else "--tunnel"
        raise HarnessError(f"{named} needs a session's own environment", hint=hint)
    if (options.sandbox or options.sandbox_read) and not agent_spec(options).startswith(_COMMAND):
        raise HarnessError("--sandbox is for command: agents", hint="--agent command:CMD")
    if options.sandbox_read and not options.sandbox:
        raise HarnessError("--sandbox-read says nothing without --sandbox", hint="give --sandbox")
    if settings.inject and not takes_fixtures(agent_spec(options), driver_options(options)):
        hint = "use http:URL, or command:CMD with --input json"
        raise HarnessError("this agent takes no injected fixtures", hint=hint)
    return settings


def _makes_up(options: RunOptions) -> bool:
    """Whether answers may be made of OpenAPI documents alone; not in replays, and not in CI.

    Raises:
        HarnessError: They are to be made up in a replay.
    """
    if options.replay and options.made_up:
        raise HarnessError("a replay makes no answers up", hint="leave --made-up out")
    if options.replay or options.made_up is not None:
        return bool(options.made_up)
    return os.environ.get("CI", "").lower() in {"", "0", "false"}


def _trials_of_recording(options: RunOptions) -> int:
    """How many trials a case has whose calls of models are recorded: one, if not said otherwise.

    Raises:
        HarnessError: Another option does not go with that.
        PluginError: Rules of redaction of an installed plug-in are missing.
    """
    from mockserver.redaction import require_plugin_rules

    require_plugin_rules()
    if options.replay or options.test_mode:
        other = "--replay" if options.replay else "--test-mode"
        raise HarnessError(f"--record-models asks live models; leave {other} out")
    if options.until_decided:
        raise HarnessError(
            "--record-models records as many trials a case as are said",
            hint="-n N, or leave it out",
        )
    check_is_led(agent_spec(options), "--record-models")
    return options.trials or 1


def check_is_led(agent: str, what: str) -> None:
    """Refuse an agent whose models are not where its environment says.

    Raises:
        HarnessError: It is not started here.
    """
    if not starts_program(agent) and not agent.startswith("model:"):
        raise HarnessError(
            f"{what} leads agents by their environment, and this one is not started here",
            hint="an agent that is started: command:CMD, python:MODULE:FUNCTION, model:NAME",
        )


def _replay_options(options: RunOptions) -> tuple[Barriers | None, tuple[MatchPart, ...]]:
    barriers = next((one for one in get_args(Barriers) if one == options.barriers), None)
    if options.barriers and barriers is None:
        known = ", ".join(get_args(Barriers))
        raise HarnessError(f"--barriers {options.barriers!r}: known are {known}")
    wanted = split_list(options.match)
    parts = tuple(part for part in MATCH_PARTS if part in wanted)
    if odd := [part for part in wanted if part not in MATCH_PARTS]:
        raise HarnessError(f"--match {odd[0]!r}: known are {', '.join(MATCH_PARTS)}")
    return barriers, parts


def intercepts(options: RunOptions, suite: Path, *, replay: bool, isolate: bool) -> bool:
    """Whether clients of the agent are led to the mock server.

    As it was asked for. Else in a replay wherever they can be, so that an agent reaches no live
    address and the one that it tried is told, and where the suite declares hosts.

    Args:
        options: What was said.
        suite: The suite.
        replay: Whether it is a replay.
        isolate: Whether `python:` agents have processes of their own.
    """
    if options.intercept is not None:
        return options.intercept
    if not _can_intercept(options, isolate=isolate):
        return False
    return replay or bool(options.tunnel) or bool(declared_hosts(suite))


def _can_intercept(options: RunOptions, *, isolate: bool) -> bool:
    spec = agent_spec(options)
    own = starts_program(spec) and (isolate or not spec.startswith("python:"))
    return own and options.manage_server and not options.mock


def fixture_switches(options: RunOptions) -> tuple[bool, bool]:
    """Whether the base and the overrides are loaded.

    Each of the two switches turns on its own part only; when neither is given, both are on.
    """
    if options.fixtures is not None and options.use_base is None and options.use_fixtures is None:
        return options.fixtures, options.fixtures
    base = options.use_fixtures is not True if options.use_base is None else options.use_base
    overrides = (
        options.use_base is not True if options.use_fixtures is None else options.use_fixtures
    )
    return base, overrides


def agent_spec(options: RunOptions) -> str:
    """The agent: what was named, or the chat application at `CHAT_URL`."""
    return options.agent or f"http:{options.chat_url}"


def driver_options(options: RunOptions, settings: RunSettings | None = None) -> DriverOptions:
    """What a driver is told beside its spec.

    Raises:
        HarnessError: A header, the token or a variable is malformed.
    """
    checked_header("Authorization", options.token)
    return DriverOptions(
        profile=settings.profile if settings else options.profile,
        headers=headers_of(options),
        token=options.token,
        retries=settings.retries if settings else options.retries,
        input=settings.input if settings else options.input,
        agent_cwd=settings.agent_cwd if settings else options.agent_cwd,
        isolate=settings.isolate if settings else options.isolate,
        python=options.python,
        env=environment_of(options, os.environ),
        folder=Path.cwd(),
        tunnel=tuple(options.tunnel or ()),
        sandbox=settings.sandbox if settings else options.sandbox,
        sandbox_read=tuple(options.sandbox_read or ()),
        sandbox_hidden=(*([options.suite] if options.suite else ()), options.run_dir),
    )


def headers_of(options: RunOptions) -> dict[str, str]:
    """The further headers, by name.

    Raises:
        HarnessError: One has no colon, or cannot be sent.
    """
    headers: dict[str, str] = {}
    for text in options.header or ():
        name, colon, value = text.partition(":")
        if not colon:
            raise HarnessError("a --header is written 'Name: value'")
        headers.update([checked_header(name.strip(), value.strip())])
    return headers


def environment_of(options: RunOptions, inherited: Mapping[str, str]) -> dict[str, str]:
    """The further environment variables, by name; a bare name takes its value from ours.

    Raises:
        HarnessError: A bare name is not set.
    """
    found = {}
    for text in options.env or ():
        name, equals, value = text.partition("=")
        if not equals and name not in inherited:
            raise HarnessError(f"--env {name}: there is no such variable", hint="NAME=VALUE")
        if name in OWN_TOKENS:
            raise HarnessError(f"--env {name}: this token is for no agent", hint="leave it out")
        found[name] = value if equals else inherited[name]
    return found


def _run_folder(options: RunOptions) -> Path:
    named = Path(options.resume)
    if named.is_dir():
        return named
    in_store = is_store_url(options.resume) or mirror_of(options.run_dir) is not None
    return run_path(options.resume, options.run_dir) if in_store else options.run_dir / named


def resumed_agent(options: RunOptions, manifest: RunManifest) -> str:
    """The agent of an earlier run, with its secrets.

    Raises:
        HarnessError: Another one was named, or the secrets of this one are not kept.
    """
    if options.agent is not None and without_secrets(options.agent) != manifest.agent:
        raise HarnessError(f"run {manifest.run} is of agent {manifest.agent!r}, not of this one")
    if options.agent is None and (_REDACTED in manifest.agent):
        raise HarnessError("the agent spec holds a secret that is not kept", hint="give --agent")
    return options.agent or manifest.agent


def check_secrets(options: RunOptions, settings: RunSettings) -> None:
    """Refuse to go on with headers or variables whose values nobody gives.

    Raises:
        HarnessError: One is not given again.
    """
    wanted = {"--header": settings.header_names, "--env": settings.env_names}
    given = {"--header": headers_of(options), "--env": environment_of(options, os.environ)}
    for option, names in wanted.items():
        lost = [name for name in names if name not in given[option]]
        if lost:
            raise HarnessError(
                f"the values of {option} {', '.join(lost)} are not kept", hint="give them again"
            )


def _concurrency(options: RunOptions, suite: Suite | None = None) -> int:
    usual = suite.concurrency if suite is not None and suite.concurrency else CONCURRENCY
    return 1 if options.serial else options.concurrency or usual


def _checked_positive(name: str, value: float) -> float:
    if not value > 0:
        raise HarnessError(f"{name} is {value:g}; it must be above 0")
    return value


def _read_template(text: str) -> str:
    if not text.startswith("@"):
        return check_template(text)
    try:
        return check_template(Path(text[1:]).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise HarnessError(
            f"cannot read the prompt template {text[1:]!r}: {reason_of(error)}"
        ) from None
