"""Forks: a recorded trial is played up to a turn of its model, and goes on its own way from there.

The agent is started again in a session of the same seed and clock. The turns before the fork are
answered from the recording, its other requests by the server as before; so it gets to the same
moment, and whether it did is looked at before anything is asked live.
"""

import asyncio
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from time import perf_counter

import orjson

from harness.environment import (
    Environment,
    Session,
    fork_models,
    journal_difference,
    live_models,
    model_recording_path,
    recorded_cassette,
)
from harness.errors import HarnessError
from harness.model import Case, ForkOrigin, ForkPoint, RunManifest, TrialRecord
from harness.runner.explanation import TrialName, chosen_trial, decided_case
from harness.runner.settings import settings_of
from harness.storage import MODELS, RunFolder
from mockserver.model import (
    Cassette,
    ForkTerms,
    Interaction,
    JournalEntry,
    RecordedRequest,
    RecordedResponse,
    SessionSpec,
    did_you_mean,
)
from mockserver.models.calls import ModelCall, chat_of, find_call
from mockserver.models.providers import PROVIDERS
from mockserver.models.shown_calls import ShownModelCall, show_model_call

_SCRIPT = "script:"
_ALIASES = {"google": "gemini", "google-gla": "gemini", "aws": "bedrock"}


@dataclass(frozen=True)
class ModelTurn:
    """A turn of a model in a recorded trial.

    Attributes:
        number: From 1.
        call: What was asked.
        shown: The same as people read it; None where it cannot be read.
    """

    number: int
    call: ModelCall
    shown: ShownModelCall | None


@dataclass(frozen=True)
class RecordedTrial:
    """A trial whose calls of models were recorded.

    Attributes:
        folder: Its run.
        manifest: What that was asked for.
        case: The case as it was.
        record: What is known of the trial.
        recording: The calls of models.
    """

    folder: RunFolder
    manifest: RunManifest
    case: Case
    record: TrialRecord
    recording: Cassette

    @property
    def turns(self) -> tuple[ModelTurn, ...]:
        """The turns of its model, in order."""
        return model_turns(self.recording.interactions)


def model_turns(interactions: tuple[Interaction, ...]) -> tuple[ModelTurn, ...]:
    """The turns of models that are among recorded interactions."""
    found: list[ModelTurn] = []
    for each in interactions:
        asked = chat_of(each.request)
        if asked is not None:
            call, body = asked
            path = each.request.url.partition("?")[0]
            answer = each.response.body.decode("utf-8", "replace")
            shown = show_model_call(each.request.method, "", path, body, answer)
            found.append(ModelTurn(len(found) + 1, call, shown))
    return tuple(found)


def read_recorded_trial(name: TrialName) -> RecordedTrial:
    """A trial with its calls of models: those that were recorded with its run, or its journal's.

    Raises:
        HarnessError: There is no such trial, or its calls of models were not recorded.
    """
    folder = RunFolder(name.run)
    manifest = folder.manifest()
    case, decision = decided_case(folder, name.case)
    number = chosen_trial(decision, name.number).number
    record = folder.records().get(case.id, number)
    if record is None:
        raise HarnessError(f"the record of trial {number} of case {case.id!r} is not there")
    recording = _recorded_models(folder, manifest, case, record)
    trial = RecordedTrial(folder, manifest, case, record, recording)
    if not trial.turns:
        raise HarnessError(
            f"trial {number} of case {case.id!r} has no recorded calls of a model",
            hint="run it with --record-models, or with scripted models in the suite",
        )
    return trial


def _recorded_models(
    folder: RunFolder, manifest: RunManifest, case: Case, record: TrialRecord
) -> Cassette:
    own = model_recording_path(folder.path / MODELS, case, record.number)
    if own.is_file():
        return recorded_cassette(own)
    entries = [entry for entry in record.journal.entries if _call_of(entry) is not None]
    if entries:
        played = tuple(_interaction(record, entry) for entry in entries)
        return Cassette(f"the journal of {manifest.run}", played)
    return Cassette("nothing", ())


def _call_of(entry: JournalEntry) -> ModelCall | None:
    if entry.after_close or entry.method_id.startswith("tools."):
        return None
    return find_call(entry.http_method, entry.host, entry.path, entry.body)


def _interaction(record: TrialRecord, entry: JournalEntry) -> Interaction:
    """A call of a model as the journal tells it.

    Raises:
        HarnessError: Its answer was not kept.
    """
    answer = record.journal.bodies.get(entry.response_ref)
    if answer is None and entry.response_bytes:
        raise HarnessError(
            f"the answer to request {entry.seq} of trial {record.number} of case"
            f" {record.case!r} was not kept: it cannot be played again"
        )
    text = answer or ""
    headers = (("content-type", _media_type(text)),)
    url = f"http://{entry.host or 'session'}{entry.path}"
    asked = (("content-type", "application/json"),)
    return Interaction(
        RecordedRequest(entry.http_method, url, asked, orjson.dumps(entry.body)),
        RecordedResponse(entry.status, headers=headers, body=text.encode()),
        duration_ms=entry.duration_ms,
    )


def _media_type(text: str) -> str:
    if text.startswith(("data:", "event:", ":")):
        return "text/event-stream; charset=utf-8"
    lines = text.strip().split("\n")
    is_lines = len(lines) > 1 and all(line.startswith("{") and line.endswith("}") for line in lines)
    return "application/x-ndjson" if is_lines else "application/json"


@dataclass(frozen=True)
class ModelChoice:
    """Who is asked from the fork on.

    Attributes:
        text: As the user named it; empty for the agent's own model.
        model: The model's name in requests; empty for the agent's own.
        live: Whether a live model is asked; None for what the trial's own run did.
        script: A file with a scripted model that is not of the suite, or None.
    """

    text: str = ""
    model: str = ""
    live: bool | None = None
    script: Path | None = None


def choose_model(text: str, trial: RecordedTrial, suite: Path, turn: int = 1) -> ModelChoice:
    """The model that an argument names.

    Args:
        text: `PROVIDER/NAME`, `NAME` of the same provider, `script:NAME` of the suite's scripted
            models, `script:FILE.yaml`, or an empty string.
        trial: The trial, whose agent speaks the form of one provider.
        suite: The suite's folder.
        turn: The turn of the fork.

    Raises:
        HarnessError: There is no such model, or the agent does not speak its provider's form.
    """
    if not text:
        return ModelChoice()
    if not text.strip():
        raise HarnessError("--model names no model", hint="PROVIDER/NAME, NAME or script:NAME")
    if text.startswith(_SCRIPT):
        return _scripted_model(text, suite)
    spoken = dict.fromkeys(each.call.provider for each in trial.turns[turn - 1 :])
    first, slash, rest = text.partition("/")
    provider = _ALIASES.get(first, first)
    known = {each.name for each in PROVIDERS}
    if not slash or provider not in known:
        return ModelChoice(text, text, live=None)
    if not rest:
        raise HarnessError(f"--model {text!r} names no model", hint="PROVIDER/NAME")
    other = [each for each in spoken if each != provider]
    if other:
        raise HarnessError(
            f"the agent speaks to {other[0]}, and {text!r} is a model of {provider}:"
            " its requests would mean nothing there",
            hint=f"a model of {other[0]}, or script:NAME, which speaks every form",
        )
    return ModelChoice(text, rest, live=True)


def _scripted_model(text: str, suite: Path) -> ModelChoice:
    name = text.removeprefix(_SCRIPT)
    if name.endswith((".yaml", ".yml")):
        path = Path(name)
        if not path.is_file():
            raise HarnessError(f"--model {text!r}: there is no file {name!r}")
        from mockserver.models.catalog import Models
        from mockserver.models.script import read_scripts

        scripted = Models(read_scripts([path]), PROVIDERS)
        names = () if any("*" in each.models for each in scripted.replies) else scripted.names
        return ModelChoice(text, names[0] if names else "", live=False, script=path)
    from mockserver.models.catalog import suite_models

    found = suite_models(suite)
    if not len(found):
        raise HarnessError(
            f"the suite {str(suite)!r} has no scripted models for {text!r}",
            hint="write models/NAME.yaml in it, or name a file: script:FILE.yaml",
        )
    patterns = [pattern for each in found.replies for pattern in each.models]
    if not name or not any(fnmatchcase(name, pattern) for pattern in patterns):
        hint = did_you_mean(name, found.names) or f"it has {', '.join(found.names) or patterns[0]}"
        raise HarnessError(f"no scripted model of the suite is for {name!r}", hint=hint)
    return ModelChoice(text, name, live=False)


@dataclass(frozen=True)
class Fork:
    """A fork that can be run.

    Attributes:
        trial: The trial that it leaves.
        turn: The turn of the model from which on it goes its own way.
        suite: The suite's folder.
        choice: Who is asked from there on.
        prompt: The system prompt from there on; None for the agent's own.
        environ: Where live models are, and their keys.
        scripts: Serves the scripted model of a file, or None.
    """

    trial: RecordedTrial
    turn: int
    suite: Path
    choice: ModelChoice = field(default_factory=ModelChoice)
    prompt: str | None = None
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ)
    scripts: Environment | None = None

    @property
    def origin(self) -> ForkOrigin:
        """What manifests and records say of it."""
        record = self.trial.record
        return ForkOrigin(
            run=self.trial.manifest.run,
            case=record.case,
            number=record.number,
            turn=self.turn,
            model=self.choice.text,
            prompt=self.prompt,
        )


def check_fork(fork: Fork) -> None:
    """Refuse a fork that could not be run, before anything is.

    Raises:
        HarnessError: There is no such turn, the model is of no provider that there is, a live model
            would be asked without a key, or the user of the case was played by a model.
    """
    turns = fork.trial.turns
    record = fork.trial.record
    name = f"trial {record.number} of case {record.case!r}"
    if not 1 <= fork.turn <= len(turns):
        hint = f"--from 1 to --from {len(turns)}; understudy fork ... without --from lists them"
        raise HarnessError(f"{name} has no turn {fork.turn} of its model", hint=hint)
    if record.user is not None and record.user.model:
        raise HarnessError(
            f"{name} had a user that {record.user.model} played, which would say something else",
            hint="fork a trial whose user is scripted, or has none",
        )
    spoken = turns[fork.turn - 1].call.provider
    provider = next(each for each in PROVIDERS if each.name == spoken)
    bases, keys = live_models(fork.environ)
    variable = next(iter(provider.variables))
    is_public = bool(provider.address) and bases.get(variable, "").startswith(provider.address)
    if fork.choice.live is None and "/" in fork.choice.model:
        _check_provider(fork, spoken, is_public=is_public)
    if _asks_live(fork) and is_public and provider.keys and not keys.keys() & {*provider.keys}:
        raise HarnessError(
            f"there is no key for the live model of {spoken}",
            hint=f"set {provider.keys[0]}, or name a scripted model: --model script:NAME",
        )


_NAMES_WITHOUT_SLASH = ("openai", "anthropic")
"""Providers none of whose own models has a slash in its name, as those of routers and clouds do."""


def _check_provider(fork: Fork, spoken: str, *, is_public: bool) -> None:
    """Refuse a name whose first part is meant for a provider that there is not.

    Raises:
        HarnessError: No model that is asked can have such a name.
    """
    name = fork.choice.model
    if _asks_live(fork):
        can_be = not is_public or spoken not in _NAMES_WITHOUT_SLASH
    else:
        from mockserver.models.catalog import suite_models

        patterns = {each for reply in suite_models(fork.suite).replies for each in reply.models}
        can_be = any(fnmatchcase(name, each) for each in patterns - {"*"})
    if not can_be:
        first = name.partition("/")[0]
        known = [each.name for each in PROVIDERS]
        raise HarnessError(
            f"--model {name!r}: there is no provider {first!r}",
            hint=did_you_mean(first, known) or f"one of {', '.join(known)}, or script:NAME",
        )


def _asks_live(fork: Fork) -> bool:
    if fork.choice.live is not None:
        return fork.choice.live
    from mockserver.models.catalog import suite_models

    return settings_of(fork.trial.manifest).record_models or not len(suite_models(fork.suite))


@dataclass
class ForkedModels:
    """The models of a forked trial, while it runs and afterwards.

    Attributes:
        block: The variables that lead the agent's clients to them.
        point: What became of the fork.
        problem: Why the trial is no fork, or an empty string.
        recording: All calls of models, once the trial is over.
        began: When the agent was started, by the clock of `perf_counter`, seconds.
    """

    point: ForkPoint
    block: Mapping[str, str] = field(default_factory=dict)
    problem: str = ""
    recording: tuple[Interaction, ...] = ()
    began: float = field(default_factory=perf_counter)

    def leave_out_startup(self, startup_ms: float) -> None:
        """Count the moment of the fork from the first turn, once it is known when that began."""
        if self.point.at_ms is not None:
            at_ms = max(0.0, self.point.at_ms - startup_ms)
            self.point = self.point.model_copy(update={"at_ms": at_ms})


@asynccontextmanager
async def forked_models(
    fork: Fork, session: Session, spec: SessionSpec, cassette: Path
) -> AsyncIterator[ForkedModels]:
    """Play the models of a trial up to the fork, and ask from there on, while a block runs.

    Yields:
        The models; what became of the fork is known after the block.

    Raises:
        InfrastructureError: It cannot be played or recorded.
    """
    found = ForkedModels(ForkPoint(origin=fork.origin))

    async def arrive() -> str:
        journal = await session.journal()
        last = journal.entries[-1].seq if journal.entries else 0
        at_ms = (perf_counter() - found.began) * 1000
        found.point = found.point.model_copy(update={"entry": last, "at_ms": at_ms})
        stands = spec.clock.startswith("frozen")
        why = journal_difference(fork.trial.record.journal, journal, with_answers=stands)
        return f"the session is not what it was at turn {fork.turn}: {why}" if why else ""

    async with AsyncExitStack() as opened:
        bases, keys = await _places(fork, session, opened)
        terms = ForkTerms(
            recording=fork.trial.recording.interactions,
            turn=fork.turn,
            bases=bases,
            keys=keys,
            model=fork.choice.model,
            prompt=fork.prompt,
        )
        async with fork_models(cassette, terms, arrive) as models:
            found.block = models.block
            yield found
            found.point = found.point.model_copy(update={"played": models.turns})
            found.problem = _problem(fork, models.departure, models.turns, live=models.is_live)
    found.recording = await asyncio.to_thread(_interactions, cassette)


def _interactions(cassette: Path) -> tuple[Interaction, ...]:
    return recorded_cassette(cassette).interactions if cassette.is_file() else ()


def _problem(fork: Fork, departure: str, played: int, *, live: bool) -> str:
    run = fork.trial.manifest.run
    if departure:
        return f"the agent left the recording of run {run} before the fork: {departure}"
    if not live:
        return (
            f"the agent ended after {played} turns of its model: turn {fork.turn} of the recording"
            f" of run {run} was not reached"
        )
    return ""


async def _places(
    fork: Fork, session: Session, opened: AsyncExitStack
) -> tuple[dict[str, str], dict[str, str]]:
    """Where models are asked from the fork on, and the keys that the clients send."""
    if fork.scripts is not None:
        scripted = await opened.enter_async_context(fork.scripts.session(SessionSpec()))
        return live_models({**fork.environ, **scripted.info.env})
    if _asks_live(fork):
        return live_models(fork.environ)
    return live_models({**fork.environ, **session.info.env})
