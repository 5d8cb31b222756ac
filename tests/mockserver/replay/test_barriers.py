import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.matching import Effect, Scope, is_related
from mockserver.replay.barriers import Barriers, Progress

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
    progress = Progress(Barriers(STORY))
    assert states(progress) == ["ready"] * 4 + ["waiting"] * 2 + ["ready"]
    progress.play(3)
    assert states(progress) == ["passed"] * 2 + ["ready"] * 5


def test_a_write_that_is_played_twice_counts_once() -> None:
    progress = Progress(Barriers(STORY))
    progress.play(3)
    progress.play(3)
    assert progress.state(4) == "ready"


def test_the_write_that_keeps_a_read_is_named() -> None:
    progress = Progress(Barriers(STORY))
    assert [progress.hindrance(place) for place in (0, 3, 4)] == [None, None, 3]
    progress.play(3)
    assert [progress.hindrance(place) for place in (0, 4)] == [3, None]


def test_a_cassette_without_writes_has_no_barriers() -> None:
    barriers = Barriers([reads(ANN), reads(USERS)])
    assert barriers.marks(0) == barriers.marks(1) == ()


def test_equal_marks_are_one_object() -> None:
    barriers = Barriers([writes(USERS), reads(USERS), reads(USERS)])
    assert barriers.marks(1) is barriers.marks(2)


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
    progress = Progress(Barriers(effects))
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
    barriers = Barriers([*effects, reads(USERS)])
    assert len(barriers.marks(size)) == 1
