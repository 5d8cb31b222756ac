from mockserver.matching import Effect
from mockserver.replay.barriers import Barriers, Progress
from mockserver.replay.queues import Hindrance, Queue, Reel, Turn

READS = Effect(reads=True, scopes=(("h", "a"),))
WRITES = Effect(reads=False, scopes=(("h", "a"),))


def test_recordings_have_their_turns_cassette_by_cassette() -> None:
    reels = [Reel(tape, (0, 1), Progress(Barriers([READS, READS]))) for tape in (3, 5)]
    queue = Queue(reels, "last")
    assert [queue.next() for _ in range(5)] == [
        Turn(3, 0), Turn(3, 1), Turn(5, 0), Turn(5, 1), Turn(5, 1, again=True),
    ]  # fmt: skip
    assert queue.latest() == (5, 1)
    assert queue.hindered() is None


def test_what_another_queue_played_is_not_played_again() -> None:
    progress = Progress(Barriers([READS, READS]))
    first, second = (Queue([Reel(0, places, progress)], "once") for places in ((0,), (0, 1)))
    assert first.next() == Turn(0, 0)
    assert second.next() == Turn(0, 1)
    assert second.next() is None


def test_a_recording_on_the_other_side_of_a_write_is_named_with_it() -> None:
    progress = Progress(Barriers([READS, WRITES, READS]))
    queue = Queue([Reel(0, (0, 2), progress)], "once")
    assert queue.next() == Turn(0, 0)
    assert queue.next() is None
    assert queue.hindered() == Hindrance(0, 2, 1)
