import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.cassettes.matching import Effect, Scope, is_related
from mockserver.cassettes.replay.order import (
    BlockedRecording,
    Progress,
    Queue,
    RecordingsOfRequest,
    Turn,
    Writes,
)
from mockserver.model import Repeats

ANN: Scope = ("h", "users", "ann")
USERS: Scope = ("h", "users")
GROUPS: Scope = ("h", "groups")


def reads(*scopes: Scope) -> Effect:
    return Effect(reads=True, scopes=scopes)


def writes(*scopes: Scope) -> Effect:
    return Effect(reads=False, scopes=scopes)


STORY = (reads(ANN), reads(USERS), reads(GROUPS), writes(ANN), reads(ANN), reads(USERS), None)


def states(progress: Progress) -> list[str]:
    return [progress.state(place) for place in range(len(STORY))]


def test_reads_behind_a_write_wait_for_it_and_reads_before_it_pass_with_it() -> None:
    progress = Progress(Writes(STORY))
    assert states(progress) == ["ready"] * 4 + ["waiting"] * 2 + ["ready"]
    progress.play(3)
    assert states(progress) == ["passed"] * 2 + ["ready"] * 5


def test_a_write_that_is_played_twice_counts_once() -> None:
    progress = Progress(Writes(STORY))
    progress.play(3)
    progress.play(3)
    assert progress.state(4) == "ready"


def test_the_write_that_keeps_a_read_is_named() -> None:
    progress = Progress(Writes(STORY))
    assert [progress.blocking_write(place) for place in (0, 3, 4)] == [None, None, 3]
    progress.play(3)
    assert [progress.blocking_write(place) for place in (0, 4)] == [3, None]


def test_a_cassette_without_writes_keeps_no_read() -> None:
    recorded = Writes([reads(ANN), reads(USERS)])
    assert recorded.marks(0) == recorded.marks(1) == ()


def test_equal_marks_are_one_object() -> None:
    recorded = Writes([writes(USERS), reads(USERS), reads(USERS)])
    assert recorded.marks(1) is recorded.marks(2)


SCOPES: st.SearchStrategy[Scope] = st.lists(st.sampled_from("ab"), min_size=1, max_size=3).map(
    lambda path: ("h", *path)
)
EFFECTS = st.lists(
    st.none() | st.builds(Effect, reads=st.booleans(), scopes=st.tuples(SCOPES)), max_size=8
)


@given(EFFECTS, st.lists(st.integers(0, 7), max_size=8))
def test_a_read_is_ready_exactly_between_the_writes_it_was_recorded_between(
    effects: list[Effect | None], played: list[int]
) -> None:
    progress = Progress(Writes(effects))
    for place in played:
        if place < len(effects):
            progress.play(place)
    written = [place for place, each in enumerate(effects) if each and not each.reads]
    for place, effect in enumerate(effects):
        if effect is None or not effect.reads:
            assert progress.state(place) == "ready"
            continue
        related = [other for other in written if _related(effects[other], effect)]
        early = any(other > place and other in progress.played for other in related)
        late = any(other < place and other not in progress.played for other in related)
        assert progress.state(place) == ("passed" if early else "waiting" if late else "ready")


def _related(write: Effect | None, read: Effect) -> bool:
    return write is not None and is_related(write.scopes[0], read.scopes[0])


@pytest.mark.parametrize("size", [10, 4000])
def test_a_read_asks_few_groups_however_many_writes_there_are(size: int) -> None:
    effects = [writes(("h", "users", str(number))) for number in range(size)]
    recorded = Writes([*effects, reads(USERS)])
    assert len(recorded.marks(size)) == 1


A_READ = Effect(reads=True, scopes=(("h", "a"),))
A_WRITE = Effect(reads=False, scopes=(("h", "a"),))


def test_recordings_have_their_turns_cassette_by_cassette() -> None:
    reels = [
        RecordingsOfRequest(tape, (0, 1), Progress(Writes([A_READ, A_READ]))) for tape in (3, 5)
    ]
    queue = Queue(reels, "last")
    assert [queue.next_in_turn() or queue.next_repeat() for _ in range(5)] == [
        Turn(3, 0), Turn(3, 1), Turn(5, 0), Turn(5, 1), Turn(5, 1, again=True),
    ]  # fmt: skip
    assert queue.latest() == (5, 1)
    assert queue.find_blocked() is None


def test_what_another_queue_played_is_not_played_again() -> None:
    progress = Progress(Writes([A_READ, A_READ]))
    first, second = (
        Queue([RecordingsOfRequest(0, places, progress)], "once") for places in ((0,), (0, 1))
    )
    assert first.next_in_turn() == Turn(0, 0)
    assert second.next_in_turn() == Turn(0, 1)
    assert second.next_in_turn() is None


def test_a_recording_on_the_other_side_of_a_write_is_named_with_it() -> None:
    progress = Progress(Writes([A_READ, A_WRITE, A_READ]))
    queue = Queue([RecordingsOfRequest(0, (0, 2), progress)], "once")
    assert queue.next_in_turn() == Turn(0, 0)
    assert queue.next_in_turn() is None
    assert queue.find_blocked() == BlockedRecording(0, 2, 1)


@pytest.mark.parametrize(
    ("effect", "repeats", "again"),
    [
        (A_READ, "reads", True),
        (A_WRITE, "reads", False),
        (A_READ, "once", False),
        (A_WRITE, "last", True),
    ],
)
def test_reads_come_again_and_writes_only_where_that_is_said(
    effect: Effect, repeats: Repeats, again: bool
) -> None:
    queue = Queue([RecordingsOfRequest(0, (0,), Progress(Writes([effect])))], repeats)
    assert queue.next_in_turn() == Turn(0, 0)
    assert (queue.next_repeat() is not None) == again


def test_a_session_that_goes_on_without_a_write_is_after_it() -> None:
    progress = Progress(Writes(STORY))
    progress.omit_before(4)
    assert states(progress) == ["passed"] * 2 + ["ready"] * 5
    assert [progress.omitted_before(place) for place in (0, 2, 3, 4)] == [None, None, None, 3]
    progress.play(3)
    assert progress.omitted_before(4) is None
    assert states(progress) == ["passed"] * 2 + ["ready"] * 5


def test_a_reading_that_waits_is_played_without_its_write_when_asked_for() -> None:
    progress = Progress(Writes([A_WRITE, A_READ]))
    queue = Queue([RecordingsOfRequest(0, (1,), progress)], "reads")
    assert (queue.next_in_turn(), queue.next_repeat()) == (None, None)
    assert queue.next_without_write() == Turn(0, 1, omitted=0)
    assert queue.next_repeat() == Turn(0, 1, again=True, omitted=0)
    assert queue.next_without_write() is None


def test_where_writes_are_not_heeded_every_read_is_ready() -> None:
    progress = Progress(Writes(STORY), heeded=False)
    progress.play(3)
    assert states(progress) == ["ready"] * len(STORY)
    assert progress.blocking_write(0) is None
