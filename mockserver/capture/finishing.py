"""Makes a cassette of a recording: merged as the mode says, gated whole, then given its name."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from mockserver.capture.modes import RecordMode
from mockserver.capture.recordings import SUFFIX, RecordingFile, recording_of
from mockserver.errors import CaptureError, LeakError, MockServerError
from mockserver.matching import canonical_key
from mockserver.model import Cassette, Interaction
from mockserver.redaction import Redactor, RuleSet, Secret, find_leaks
from mockserver.storage.cassettes import read_cassette, write_cassette

_YAML = frozenset({".yaml", ".yml"})


@dataclass(frozen=True, repr=False)
class Gated:
    """What a file is held against before it is saved.

    Attributes:
        rules: Patterns of secrets.
        secrets: Those that were seen.
    """

    rules: RuleSet
    secrets: tuple[Secret, ...] = ()


def saved(recording: Path, cassette: Path, mode: RecordMode, gated: Gated) -> Path:
    """Give a recording its name, merged with the cassette that is there as the mode says.

    Args:
        recording: Whole blocks, nobody writes them any more.
        cassette: What it becomes.
        mode: How it was recorded.
        gated: What it must not hold.

    Returns:
        The cassette.

    Raises:
        LeakError: A secret is left; the recording stays.
        CaptureError: The cassette cannot be written; the recording stays.
    """
    try:
        with _draft(recording, cassette, mode) as draft:
            _check(draft, cassette, recording, gated)
            draft.chmod(0o644)
            draft.replace(cassette)
    except OSError as error:
        raise CaptureError(
            f"cannot write {cassette}: {error.strerror or error}",
            hint=f"what was recorded is in {recording}; `mockserver capture finish {recording}`",
        ) from error
    recording.unlink(missing_ok=True)
    return cassette


@contextlib.contextmanager
def _draft(recording: Path, cassette: Path, mode: RecordMode) -> Iterator[Path]:
    keeps = cassette.exists() and mode in {RecordMode.NEW_EPISODES, RecordMode.REFRESH}
    if cassette.suffix.lower() in _YAML and not keeps:
        yield recording
        return
    made = read_cassette(recording)
    if keeps:
        made = merged(read_cassette(cassette), made, mode)
    draft = cassette.with_name(f".{cassette.stem}.draft{cassette.suffix}")
    try:
        write_cassette(made, draft)
        yield draft
    finally:
        draft.unlink(missing_ok=True)


def merged(old: Cassette, new: Cassette, mode: RecordMode) -> Cassette:
    """An old cassette and what was recorded after it.

    Args:
        old: As it was.
        new: What was recorded.
        mode: NEW_EPISODES puts it behind the old; REFRESH drops from the old what was asked again.
    """
    if mode is RecordMode.REFRESH:
        again = {_key(one) for one in new.interactions}
        stays = tuple(one for one in old.interactions if _key(one) not in again)
        return replace(new, name=old.name, interactions=(*stays, *new.interactions))
    info = replace(old.info, revisions=old.info.revisions | new.info.revisions)
    return replace(old, info=info, interactions=(*old.interactions, *new.interactions))


def _key(interaction: Interaction) -> object:
    return canonical_key(interaction.request)


def _check(draft: Path, cassette: Path, recording: Path, gated: Gated) -> None:
    leaks = find_leaks(draft.read_bytes(), gated.secrets, rules=gated.rules)
    if leaks:
        raise LeakError(
            f"{cassette} is not saved, secrets are left in what was recorded",
            [str(leak) for leak in leaks],
            hint=f"add rules for them to redaction.yaml, or allow what is none, then"
            f" `mockserver capture finish {recording}`",
        )


def finished(path: Path, mode: RecordMode, redactor: Redactor) -> tuple[Path, int]:
    """Make a cassette of what a capture left behind that was killed, or refused to save.

    Args:
        path: The recording, or the cassette that it was to become.
        mode: How a cassette that is there already is treated.
        redactor: Redacts it once more, so that rules count that were added since. The secrets that
            were seen are gone with the capture, but each interaction was held against them before
            it was written.

    Returns:
        The cassette, and how many interactions were recorded.

    Raises:
        MockServerError: There is no recording, it is still being written, or a cassette of that
            name is there and the mode is `once`.
        LeakError: A secret is left; the recording stays.
        CaptureError: The cassette cannot be written; the recording stays.
    """
    named = path.name.endswith(SUFFIX)
    recording = path if named else recording_of(path)
    cassette = path.with_name(path.name.removesuffix(SUFFIX) + ".yaml") if named else path
    if cassette.exists() and mode in {RecordMode.NONE, RecordMode.ONCE}:
        raise MockServerError(
            f"{cassette} is there already",
            hint="--mode all replaces it, new_episodes adds to it, refresh replaces what was"
            " asked again",
        )
    file = RecordingFile.take_over(recording)
    try:
        whole = read_cassette(recording)  # without an interaction that was cut off
        if not whole.interactions:
            raise MockServerError(f"{recording} holds no whole interaction", hint="delete it")
        again = tuple(redactor.interaction(each) for each in whole.interactions)
        write_cassette(replace(whole, interactions=again), recording)
        gated = Gated(redactor.rules, tuple(redactor.seen.secrets()))
        return saved(recording, cassette, mode, gated), len(again)
    finally:
        file.close()
