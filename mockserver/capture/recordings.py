"""Recordings and the cassettes that are made of them.

A capture appends to a recording: whole blocks, held by one process, safe to kill. At its end the
recording is redacted once more, merged with the cassette as the record mode says, and renamed. A
recording of another tool is redacted and written in the same way.
"""

import contextlib
import errno
import fcntl
import os
from collections.abc import Iterable
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple, Self

from mockserver.capture.bodies import publish_bodies, redact_bodies_again
from mockserver.cassettes.files import header_block, read_cassette, write_cassette
from mockserver.cassettes.files.body_files import bodies_folder
from mockserver.cassettes.matching import canonical_key
from mockserver.errors import CaptureError, LeakError, MockServerError
from mockserver.messages import decode_body
from mockserver.model import Cassette, Interaction
from mockserver.redaction import InteractionSanitizer, Question, Redactor, find_leaks, questions_of


class RecordMode(StrEnum):
    """Which requests are answered by the cassette, and which by the live API.

    NONE plays what is there and refuses the rest; nothing live is ever asked. ONCE records where
    there is no cassette yet, and is NONE where there is one. NEW_EPISODES plays what is there and
    records the rest behind it. ALL records everything into a cassette that takes the place of the
    old one. REFRESH records everything; what is asked again takes the place of its old recordings,
    what is not asked again stays.
    """

    NONE = "none"
    ONCE = "once"
    NEW_EPISODES = "new_episodes"
    ALL = "all"
    REFRESH = "refresh"

    def plays(self, *, there: bool) -> bool:
        """Whether requests are answered by the cassette first."""
        return there and self in {RecordMode.NONE, RecordMode.ONCE, RecordMode.NEW_EPISODES}

    def records(self, *, there: bool) -> bool:
        """Whether live answers are recorded.

        >>> RecordMode.ONCE.records(there=False), RecordMode.ONCE.records(there=True)
        (True, False)
        """
        return self is not RecordMode.NONE and not (there and self is RecordMode.ONCE)


SUFFIX = ".recording.yaml"


def recording_path(cassette: Path) -> Path:
    """Where the capture of a cassette is written until it is finished.

    >>> recording_path(Path("cassettes/orgs.yaml")).name
    'orgs.recording.yaml'
    """
    return cassette.with_name(cassette.stem + SUFFIX)


class RecordingFile:
    """A file of whole blocks; each is written at once, or not at all.

    Attributes:
        path: The file.
        size: Its bytes.
    """

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path = path
        self.size = os.fstat(descriptor).st_size
        self._descriptor = descriptor

    @classmethod
    def create(cls, path: Path) -> Self:
        """Make it; readable by its owner alone.

        Raises:
            MockServerError: It is there already, or cannot be made.
        """
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC
        try:
            descriptor = os.open(path, flags, 0o600)
        except FileExistsError as error:
            raise _existing_recording_error(path) from error
        except OSError as error:
            raise MockServerError(f"cannot write {path}: {error.strerror or error}") from error
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return cls(path, descriptor)

    @classmethod
    def take_over(cls, path: Path) -> Self:
        """Open one that a capture left behind.

        Raises:
            MockServerError: It is not there, or a capture is still writing it.
        """
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CLOEXEC)
        except OSError as error:
            raise MockServerError(f"cannot open {path}: {error.strerror or error}") from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(descriptor)
            raise MockServerError(f"{path} is being written", hint="stop that capture") from error
        return cls(path, descriptor)

    def append(self, block: bytes) -> None:
        """Write one block behind the others.

        Raises:
            CaptureError: There is no room for it; what was written before is there, whole.
        """
        try:
            _write_all(self._descriptor, block)
        except OSError as error:
            with contextlib.suppress(OSError):
                os.ftruncate(self._descriptor, self.size)
            raise CaptureError(
                f"cannot write {self.path}: {_write_problem(error)}",
                hint="what was recorded before is there; make room, then"
                " `understudy capture finish`",
            ) from error
        self.size += len(block)

    def write_anew(self, pieces: Iterable[bytes]) -> None:
        """Put another content in its place, whole or not at all; it stays held.

        Raises:
            OSError: It could not be written; what was there stays.
        """
        beside = self.path.with_name(f".{self.path.name}.{os.getpid()}.tmp")
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND | os.O_CLOEXEC
        descriptor = os.open(beside, flags, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            for piece in pieces:
                _write_all(descriptor, piece)
            os.fsync(descriptor)
            beside.replace(self.path)
        except OSError:
            os.close(descriptor)
            with contextlib.suppress(OSError):
                beside.unlink()
            raise
        os.close(self._descriptor)
        self._descriptor = descriptor
        self.size = os.fstat(descriptor).st_size

    def close(self) -> None:
        """Let go of it."""
        os.close(self._descriptor)


def _write_all(descriptor: int, content: bytes) -> None:
    rest = memoryview(content)
    while rest:  # a signal, or a disk that was full for a moment, leaves some of it
        rest = rest[os.write(descriptor, rest) :]


def _flush(path: Path) -> None:
    """Put a file's content on the disk, so that the machine may go down after it is renamed."""
    with path.open("rb") as file:
        os.fsync(file.fileno())


def _write_problem(error: OSError) -> str:
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        return "the disk is full"
    if error.errno == errno.EFBIG:
        return "files may not grow further"
    return error.strerror or str(error)


def _existing_recording_error(path: Path) -> MockServerError:
    return MockServerError(
        f"{path} is there: a capture of this cassette is running, or was killed",
        hint=f"`understudy capture finish {path}` makes a cassette of what it recorded;"
        " or delete the file",
    )


_YAML = frozenset({".yaml", ".yml"})
_ROUNDS = 4
"""How often a recording is redacted once more with what the last time taught."""


def review_path(cassette: Path) -> Path:
    """Where those interactions of a capture are kept that are in question.

    >>> review_path(Path("cassettes/orgs.yaml")).name
    'orgs.review.yaml'
    """
    return cassette.with_name(cassette.stem + ".review.yaml")


class SavedCassette(NamedTuple):
    """What became of a recording.

    Attributes:
        asked: How many interactions are in question.
        dropped: Requests that were left out, redacted, each with the reason.
    """

    asked: int
    dropped: tuple[str, ...]


def save_cassette(
    recording: Path, cassette: Path, mode: RecordMode, sanitizer: InteractionSanitizer
) -> SavedCassette:
    """Give a recording its name, merged with the cassette that is there as the mode says.

    What was learned only after an interaction was written is replaced in it now. Interactions in
    question go to the review file instead; where nothing else was recorded, there is no cassette.

    Args:
        recording: Whole blocks, nobody writes them any more.
        cassette: What it becomes.
        mode: How it was recorded.
        sanitizer: Knows what must not be left in it.

    Raises:
        LeakError: A secret is left in what the recording says of itself; the recording stays.
        CaptureError: The cassette cannot be written; the recording stays.
    """
    dropped: dict[str, None] = {}
    try:
        made = _read_cleaned(recording, sanitizer, dropped)
        sound = tuple(each for each in made.interactions if not each.review)
        asked = tuple(each for each in made.interactions if each.review)
        if asked:
            _add_to_review(replace(made, interactions=asked), review_path(cassette))
        if sound:
            keeps = cassette.exists() and mode in {RecordMode.NEW_EPISODES, RecordMode.REFRESH}
            if keeps:
                made = merge_cassettes(
                    read_cassette(cassette), replace(made, interactions=sound), mode
                )
            if keeps or asked or cassette.suffix.lower() not in _YAML:
                write_cassette(replace(made, interactions=made.interactions if keeps else sound),
                               cassette)  # fmt: skip
            else:
                recording.chmod(0o644)
                _flush(recording)
                recording.replace(cassette)
    except (OSError, MockServerError) as error:
        if isinstance(error, LeakError):
            raise
        why = (error.strerror or str(error)) if isinstance(error, OSError) else str(error)
        raise CaptureError(
            f"cannot write {cassette}: {why}",
            hint=f"what was recorded is in {recording}; `understudy capture finish {recording}`",
        ) from error
    try:
        recording.unlink(missing_ok=True)
    except OSError as error:
        raise CaptureError(
            f"{cassette} is whole, but {recording} cannot be removed: {error.strerror}",
            hint="delete it",
        ) from error
    publish_bodies(cassette)
    return SavedCassette(len(asked), tuple(dropped))


def _read_cleaned(
    recording: Path, sanitizer: InteractionSanitizer, dropped: dict[str, None]
) -> Cassette:
    """What was recorded, with all that is known by now replaced; the file says the same.

    Raises:
        LeakError: A secret is left in what the recording says of itself.
    """
    made = read_cassette(recording)
    if not sanitizer.is_clean_text(header_block(made.info)):
        raise LeakError(
            "nothing is saved, a secret is left in what the recording says of itself",
            [f"{recording}: its head"],
            hint="take it out of the plan or the upstream, then"
            f" `understudy capture finish {recording}`",
        )
    for _ in range(_ROUNDS):
        again = tuple(
            each
            for each in (
                _clean_one(each, sanitizer, bodies_folder(recording), dropped)
                for each in made.interactions
            )
            if each is not None
        )
        if again == made.interactions:
            break
        made = replace(made, interactions=again)
        write_cassette(made, recording)
        recording.chmod(0o600)
    return made


def _clean_one(
    interaction: Interaction,
    sanitizer: InteractionSanitizer,
    folder: Path,
    dropped: dict[str, None],
) -> Interaction | None:
    """An interaction with all that is known by now replaced; None where it is left out."""
    made = interaction if sanitizer.is_clean(interaction) else sanitizer.sanitize_again(interaction)
    return redact_bodies_again(made, sanitizer, folder, dropped, only_unclean=True)


def _add_to_review(cassette: Cassette, review: Path) -> None:
    known: tuple[Interaction, ...] = ()
    if review.exists():
        known = read_cassette(review).interactions
    write_cassette(replace(cassette, interactions=(*known, *cassette.interactions)), review)


def merge_cassettes(old: Cassette, new: Cassette, mode: RecordMode) -> Cassette:
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


def sort_interactions(interactions: Iterable[Interaction]) -> tuple[Interaction, ...]:
    """Interactions by the time they were recorded at; those without one stay where they are."""
    found = tuple(interactions)
    if not all(each.recorded_at for each in found):
        return found
    return tuple(sorted(found, key=lambda each: each.recorded_at))


def _key(interaction: Interaction) -> object:
    return canonical_key(interaction.request)


class FinishedRecording(NamedTuple):
    """What became of what a killed capture left behind.

    Attributes:
        cassette: The cassette.
        recorded: How many interactions were recorded.
        asked: How many of them are in question.
        dropped: Requests that were left out, redacted, each with the reason.
    """

    cassette: Path
    recorded: int
    asked: int
    dropped: tuple[str, ...]


def finish_recording(path: Path, mode: RecordMode, redactor: Redactor) -> FinishedRecording:
    """Make a cassette of what a capture left behind that was killed.

    Args:
        path: The recording, or the cassette that it was to become.
        mode: How a cassette that is there already is treated.
        redactor: Redacts it once more, so that rules count that were added since. The secrets that
            were seen are gone with the capture, but each interaction was held against them before
            it was written.

    Raises:
        MockServerError: There is no recording, it is still being written, or a cassette of that
            name is there and the mode is `once`.
        CaptureError: The cassette cannot be written; the recording stays.
    """
    named = path.name.endswith(SUFFIX)
    recording = path if named else recording_path(path)
    cassette = path.with_name(path.name.removesuffix(SUFFIX) + ".yaml") if named else path
    if cassette.exists() and mode in {RecordMode.NONE, RecordMode.ONCE}:
        raise MockServerError(
            f"{cassette} is there already",
            hint="--mode all replaces it, new_episodes adds to it, refresh replaces what was"
            " asked again",
        )
    file = RecordingFile.take_over(recording)
    try:
        # without an interaction that was cut off; nothing is in it without a whole head
        has_head = _has_head(recording)
        whole = read_cassette(recording) if has_head else Cassette(recording.name, ())
        if not whole.interactions:
            raise MockServerError(f"{recording} holds no whole interaction", hint="delete it")
        sanitizer = InteractionSanitizer(redactor)
        dropped: dict[str, None] = {}
        again = tuple(
            each
            for each in (
                redact_bodies_again(
                    sanitizer.sanitize_again(each), sanitizer, bodies_folder(recording), dropped
                )
                for each in redactor.redact_interactions(whole.interactions)
            )
            if each is not None
        )
        write_cassette(replace(whole, interactions=again), recording)
        recording.chmod(0o600)
        made = save_cassette(recording, cassette, mode, sanitizer)
        left_out = (*dropped, *made.dropped)
        return FinishedRecording(cassette, len(again) - len(made.dropped), made.asked, left_out)
    finally:
        file.close()


def _has_head(recording: Path) -> bool:
    """Whether all that stands before the interactions got to the disk."""
    with recording.open("rb") as file:
        return any(line.startswith(b"interactions:") for line in file)


class ImportResult(NamedTuple):
    """What came of a recording.

    Attributes:
        replaced: How many different values were replaced.
        asked: What is in question: method and URL of each request, and the question.
        questioned: How many interactions are in question, and in the review file.
        dropped: Requests that were left out, redacted, each with the reason.
    """

    replaced: int
    asked: tuple[tuple[str, Question], ...]
    questioned: int
    dropped: tuple[str, ...]


def write_redacted(cassette: Cassette, path: Path, redactor: Redactor) -> ImportResult:
    """Redact a recording and write it; what is in question goes to the review file.

    Args:
        cassette: As it was read.
        path: The cassette to write.
        redactor: Replaces what is secret.

    Raises:
        LeakError: A secret is left in what it says of itself; nothing is written.
        MockServerError: The cassette was redacted with another key, or cannot be written.
    """
    made = redact_recording(cassette, redactor)
    sanitizer = InteractionSanitizer(redactor)
    screened = tuple(sanitizer.sanitize_again(each) for each in made.interactions)
    screened = tuple(
        sanitizer.sanitize_again(each) for each in screened
    )  # with what the last ones taught
    leaks = [
        leak
        for leak in find_leaks(header_block(made.info), rules=redactor.rules)
        if leak.is_certain
    ]
    if leaks:
        raise LeakError(
            f"{path} is not written, secrets are left in what it says of itself",
            [str(leak) for leak in leaks],
            hint="add rules for them to redaction.yaml",
        )
    dropped: dict[str, None] = {}
    filed = (
        redact_bodies_again(each, sanitizer, bodies_folder(path), dropped) for each in screened
    )
    screened = tuple(each for each in filed if each is not None)
    sound = tuple(each for each in screened if not each.review)
    questioned = tuple(each for each in screened if each.review)
    if sound or not questioned:
        write_cassette(replace(made, interactions=sound), path)
    if questioned:
        write_cassette(replace(made, interactions=questioned), review_path(path))
    asked = tuple(
        (f"{each.request.method} {each.request.url}", question)
        for each in questioned
        for question in questions_of(each)
    )
    publish_bodies(path)
    replaced = len(tuple(redactor.seen.secrets()))
    return ImportResult(replaced, asked, len(questioned), tuple(dropped))


def redact_recording(cassette: Cassette, redactor: Redactor) -> Cassette:
    """A recording without secrets; bodies with content coding are opened.

    Raises:
        MockServerError: It was redacted with another key.
    """
    its = cassette.info.key_id
    if its and its != redactor.key_id:
        raise MockServerError(
            f"{cassette.name} was redacted with key {its}, and this is key {redactor.key_id}",
            hint="set MOCKSERVER_REDACTION_KEY to that key",
        )
    info = cassette.info
    stated = replace(
        info,
        key_id=redactor.key_id,
        upstream=redactor.redact_target(info.upstream) if info.upstream else "",
        plan=redactor.redact_json(info.plan),
        extra=redactor.redact_json(info.extra),
    )
    kept = tuple(
        redactor.redact_interactions([_decode_bodies(item) for item in cassette.interactions])
    )
    return replace(cassette, interactions=kept, info=stated)


def _decode_bodies(interaction: Interaction) -> Interaction:
    """With bodies as the redactor reads them, where another tool kept them as they came."""
    request, response = interaction.request, interaction.response
    if not request.coding:
        headers, body, coding = decode_body(request.headers, request.body)
        request = replace(request, headers=headers, body=body, coding=coding)
    if not response.coding and not response.chunks:
        headers, body, coding = decode_body(response.headers, response.body)
        response = replace(response, headers=headers, body=body, coding=coding)
    return replace(interaction, request=request, response=response)
