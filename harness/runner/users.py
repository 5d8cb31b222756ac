"""Who speaks for the simulated users of a run."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from harness.agents import AgentDriver
from harness.errors import HarnessError
from harness.model import Case, SimulatedUser, UserRecord
from harness.runner.plan import PlannedTrial
from harness.runner.settings import RunSettings
from harness.storage import RunFolder
from harness.users import ModelUser, RecordedUser, ScriptedUser, UserPlayer, user_model


@dataclass(frozen=True, slots=True)
class Users:
    """What the simulated users of a run are made of.

    Attributes:
        environment: Keys and endpoints of the models that play users.
        recordings: The run whose users speak again, or None.
        said: What the user of the only trial said in such a run, and the run's id, where the run
            itself is elsewhere; or None.
    """

    environment: Mapping[str, str] = field(default_factory=dict)
    recordings: RunFolder | None = None
    said: tuple[UserRecord, str] | None = None

    def player(self, trial: PlannedTrial, settings: RunSettings) -> UserPlayer | None:
        """The user of a trial; None for a case without one, and where replies are made up.

        Raises:
            HarnessError: Nobody can speak for it.
        """
        case, user = trial.case, trial.case.user
        if user is None or settings.synthetic:
            return None
        if said := self.recorded(trial):
            return RecordedUser(user, *said)
        model = _model_of(user, settings)
        if not model:
            if not user.replies:
                hint = "write replies, or name a model with --user-model"
                raise HarnessError(f"the user of case {case.id!r} has nothing to say", hint=hint)
            return ScriptedUser(user)
        if settings.replay:
            raise HarnessError(
                f"a replay asks no model, and {model} plays the user of case {case.id!r}",
                hint="let it say what it said in an earlier run: --user-from RUN",
            )
        return ModelUser(user, user_model(model, self.environment))

    def recorded(self, trial: PlannedTrial) -> tuple[UserRecord, str] | None:
        """What the user of a trial said in the run that speaks again, and its id; None without one.

        Raises:
            HarnessError: It has no recording of that user.
        """
        if self.recordings is None or trial.case.user is None:
            return self.said
        record = _user_record(self.recordings, trial.case.id, trial.number)
        return record, self.recordings.manifest().run

    def keys(self, cases: Iterable[Case], settings: RunSettings) -> dict[str, str]:
        """The part of the environment that the models of these cases' users need."""
        users = [case.user for case in cases if case.user is not None]
        providers = {_model_of(user, settings).partition(":")[0].upper() for user in users} - {""}
        names = {f"{each}_{part}" for each in providers for part in ("API_KEY", "BASE_URL")}
        return {name: self.environment[name] for name in sorted(names & self.environment.keys())}


def check_users(
    cases: Sequence[Case], settings: RunSettings, driver: AgentDriver, users: Users
) -> None:
    """Refuse a run whose simulated users could not speak, before anything is run.

    Raises:
        HarnessError: The agent holds no conversations, or nobody can speak for a user.
    """
    with_user = [case for case in cases if case.user is not None]
    if not with_user or settings.synthetic:
        return
    if not driver.holds_conversations:
        raise HarnessError(
            f"case {with_user[0].id!r} has a simulated user, and this agent is asked only once",
            hint="take an agent that is asked turn by turn: http:, command: with --input json,"
            " python: or one of a framework",
        )
    for case in with_user:
        users.player(PlannedTrial(case, 1), settings)


def _model_of(user: SimulatedUser, settings: RunSettings) -> str:
    return settings.user_model if settings.user_model and user.goal else user.model


def _user_record(folder: RunFolder, id: str, number: int) -> UserRecord:
    """What the user of a case said: in the trial of this number, else in the first that has one."""
    records = folder.records()
    same = records.get(id, number)
    for record in (same, *records.of(id)) if id in folder.manifest().cases else ():
        if record is not None and record.user is not None:
            return record.user
    raise HarnessError(
        f"run {folder.manifest().run!r} has no recording of the user of case {id!r}",
        hint="name a run that put an agent through it with --user-from",
    )
