"""Makes a cassette of a recording: looked through once more, merged as the mode says, then named.

What is in question is no part of the cassette: it is kept, redacted, in a file beside it.
"""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from mockserver.capture.largebodies import kept_once_more, publish_bodies
from mockserver.capture.modes import RecordMode
from mockserver.capture.recordings import SUFFIX, RecordingFile, recording_of
from mockserver.cassettes.files import header_block, read_cassette, write_cassette
from mockserver.cassettes.files.bodyfiles import bodies_folder
from mockserver.cassettes.matching import canonical_key
from mockserver.errors import CaptureError, LeakError, MockServerError
from mockserver.model import Cassette, Interaction
from mockserver.redaction import Redactor, Screen

_YAML = frozenset({".yaml", ".yml"})
_ROUNDS = 4
"""How often a recording is redacted once more with what the last time taught."""


def review_of(cassette: Path) -> Path:
    """Where those interactions of a capture are kept that are in question.

    >>> review_of(Path("cassettes/orgs.yaml")).name
    'orgs.review.yaml'
    """
    return cassette.with_name(cassette.stem + ".review.yaml")


class Saved(NamedTuple):
    """What became of a recording.

    Attributes:
        asked: How many interactions are in question.
        dropped: Requests that were left out, redacted, each with the reason.
    """

    asked: int
    dropped: tuple[str, ...]


def saved(recording: Path, cassette: Path, mode: RecordMode, screen: Screen) -> Saved:
    """Give a recording its name, merged with the cassette that is there as the mode says.

    What was learned only after an interaction was written is replaced in it now. Interactions in
    question go to the review file instead; where nothing else was recorded, there is no cassette.

    Args:
        recording: Whole blocks, nobody writes them any more.
        cassette: What it becomes.
        mode: How it was recorded.
        screen: Knows what must not be left in it.

    Raises:
        LeakError: A secret is left in what the recording says of itself; the recording stays.
        CaptureError: The cassette cannot be written; the recording stays.
    """
    dropped: dict[str, None] = {}
    try:
        made = _clean(recording, screen, dropped)
        sound = tuple(each for each in made.interactions if not each.review)
        asked = tuple(each for each in made.interactions if each.review)
        if asked:
            _keep_aside(replace(made, interactions=asked), review_of(cassette))
        if sound:
            keeps = cassette.exists() and mode in {RecordMode.NEW_EPISODES, RecordMode.REFRESH}
            if keeps:
                made = merged(read_cassette(cassette), replace(made, interactions=sound), mode)
            if keeps or asked or cassette.suffix.lower() not in _YAML:
                write_cassette(replace(made, interactions=made.interactions if keeps else sound),
                               cassette)  # fmt: skip
            else:
                recording.chmod(0o644)
                recording.replace(cassette)
    except (OSError, MockServerError) as error:
        if isinstance(error, LeakError):
            raise
        why = (error.strerror or str(error)) if isinstance(error, OSError) else str(error)
        raise CaptureError(
            f"cannot write {cassette}: {why}",
            hint=f"what was recorded is in {recording}; `mockserver capture finish {recording}`",
        ) from error
    recording.unlink(missing_ok=True)
    publish_bodies(cassette)
    return Saved(len(asked), tuple(dropped))


def _clean(recording: Path, screen: Screen, dropped: dict[str, None]) -> Cassette:
    """What was recorded, with all that is known by now replaced; the file says the same.

    Raises:
        LeakError: A secret is left in what the recording says of itself.
    """
    made = read_cassette(recording)
    if not screen.is_clean_text(header_block(made.info)):
        raise LeakError(
            "nothing is saved, a secret is left in what the recording says of itself",
            [f"{recording}: its head"],
            hint="take it out of the plan or the upstream, then"
            f" `mockserver capture finish {recording}`",
        )
    for _ in range(_ROUNDS):
        again = tuple(
            each
            for each in (
                _clean_one(each, screen, bodies_folder(recording), dropped)
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
    interaction: Interaction, screen: Screen, folder: Path, dropped: dict[str, None]
) -> Interaction | None:
    """An interaction with all that is known by now replaced; None where it is left out."""
    made = interaction if screen.is_clean(interaction) else screen.again(interaction)
    return kept_once_more(made, screen, folder, dropped, only_unclean=True)


def _keep_aside(asked: Cassette, review: Path) -> None:
    known: tuple[Interaction, ...] = ()
    if review.exists():
        known = read_cassette(review).interactions
    write_cassette(replace(asked, interactions=(*known, *asked.interactions)), review)


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


def in_order(interactions: Iterable[Interaction]) -> tuple[Interaction, ...]:
    """Interactions by the time they were recorded at; those without one stay where they are."""
    found = tuple(interactions)
    if not all(each.recorded_at for each in found):
        return found
    return tuple(sorted(found, key=lambda each: each.recorded_at))


def _key(interaction: Interaction) -> object:
    return canonical_key(interaction.request)


class Finished(NamedTuple):
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


def finished(path: Path, mode: RecordMode, redactor: Redactor) -> Finished:
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
        screen = Screen(redactor)
        dropped: dict[str, None] = {}
        again = tuple(
            each
            for each in (
                kept_once_more(screen.again(each), screen, bodies_folder(recording), dropped)
                for each in redactor.interactions(whole.interactions)
            )
            if each is not None
        )
        write_cassette(replace(whole, interactions=again), recording)
        recording.chmod(0o600)
        made = saved(recording, cassette, mode, screen)
        left_out = (*dropped, *made.dropped)
        return Finished(cassette, len(again) - len(made.dropped), made.asked, left_out)
    finally:
        file.close()
