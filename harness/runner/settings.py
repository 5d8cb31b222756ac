"""The settings of a run, which shape its trials and are kept in its manifest."""

from pydantic import Field, ValidationError

from harness.errors import HarnessError, reason_of
from harness.model import Frozen, JsonObject, Policy, RunManifest
from mockserver.model import Barriers, MatchPart, ToolPerturbations

PROMPT = "{prompt}"
_ALL_OF_K = "pass_hat:"


class RunSettings(Frozen):
    """What shapes the trials of a run. Secrets are not part of it; they are given again on resume.

    Attributes:
        trials: Trials for each case; None takes each case's `repeat`.
        concurrency: Trials at a time.
        timeout_s: Seconds an agent may take for one trial, where its case says nothing.
        retries: Further attempts after a transport error, each turn.
        profile: Of `http:` agents.
        backend: What stands behind a `service:` agent; for display only.
        input: Of `command:` agents.
        agent_cwd: Where an agent that is started works: `workspace` or `here`.
        isolate: `python:` agents run in processes of their own, one for each trial.
        sandbox: Of `command:` agents; empty for none.
        template: The text of every turn; `{prompt}` stands for what the case says.
        inject: Merged fixtures are handed over in the request.
        inject_prompt: Plain-text fixtures are put into the first prompt.
        synthetic: Replies are made up; no agent is asked.
        use_base: The base snapshot is loaded.
        use_overrides: The cases' overrides are loaded.
        header_names: Names of further request headers.
        env_names: Names of further environment variables.
        replay: Recordings and snapshots only, with the clock standing still.
        made_up: Operations that only an OpenAPI document describes get made-up answers.
        shard: `i/n`: which share of the selected cases this run has; all of them when empty.
        faults_matrix: Fault profiles that each case is also run under.
        tools: Globs of the tools that the agent has, as the user says.
        variables: Values for the placeholders of the cases.
        judge: The model that answers questions about replies, or an empty string.
        until_decided: Trials are added while the comparison with the baseline decides nothing.
        strict: Recordings that nobody asked for or that may not fit, calls that no recording
            answers, and live addresses that were tried, fail the run.
        barriers: What a read gets that was recorded after a write that was not made; None for a
            warning, or a miss where the run is strict.
        match: The parts of requests that are compared with recordings.
        exact: Recordings answer the same requests alone, none with other times or ids.
        user_model: The model that plays simulated users with a goal, or an empty string.
        perturbed: How the tools of sessions differ from the suite's, or None.
        record_models: What agents ask of models is recorded, one cassette a trial.
    """

    trials: int | None = Field(default=None, ge=1)
    concurrency: int = Field(default=4, ge=1)
    timeout_s: float = Field(default=180, gt=0)
    retries: int = Field(default=2, ge=0)
    profile: str = "ai-sdk"
    backend: str = ""
    input: str = "text"
    agent_cwd: str = "workspace"
    isolate: bool = True
    sandbox: str = ""
    template: str = PROMPT
    inject: bool = False
    inject_prompt: bool = False
    synthetic: bool = False
    use_base: bool = True
    use_overrides: bool = True
    header_names: tuple[str, ...] = ()
    env_names: tuple[str, ...] = ()
    replay: bool = False
    made_up: bool = True
    strict: bool = False
    barriers: Barriers | None = None
    match: tuple[MatchPart, ...] = ()
    exact: bool = False
    tools: tuple[str, ...] = ()
    shard: str = ""
    faults_matrix: str = ""
    judge: str = ""
    variables: dict[str, str] = {}
    until_decided: bool = False
    user_model: str = ""
    perturbed: ToolPerturbations | None = None
    record_models: bool = False

    def options(self) -> JsonObject:
        """As a manifest keeps them."""
        return self.model_dump(mode="json")


def settings_of(manifest: RunManifest) -> RunSettings:
    """The settings of an earlier run.

    Raises:
        HarnessError: The manifest was written by something else.
    """
    try:
        return RunSettings.model_validate(manifest.options)
    except ValidationError as error:
        first = reason_of(error)
        raise HarnessError(f"cannot read the options of run {manifest.run}: {first}") from None


def read_policy(text: str) -> Policy:
    """Read a verdict policy: `all`, `majority`, a share of the trials, or `pass_hat:K:MIN`.

    Raises:
        HarnessError: It is none of these.

    >>> read_policy("0.8").rate, read_policy("pass_hat:3:0.7").pass_hat
    (0.8, 3)
    """
    try:
        if text in {"all", "majority"}:
            return Policy.model_validate({"pass": text})
        if text.startswith(_ALL_OF_K):
            k, least = text.removeprefix(_ALL_OF_K).split(":")
            return Policy(pass_hat=int(k), min=float(least))
        return Policy(rate=float(text.removeprefix("rate:")))
    except ValueError:
        hint = (
            "all, majority, a share of the trials above 0 and up to 1, such as 0.8,"
            " or pass_hat:K:MIN, such as pass_hat:3:0.7"
        )
        raise HarnessError(f"unknown policy {text!r}", hint=hint) from None


def written_policy(policy: Policy) -> JsonObject:
    """A policy as a manifest keeps it.

    >>> written_policy(read_policy("majority"))
    {'pass': 'majority'}
    """
    return policy.model_dump(by_alias=True, exclude_none=True)
