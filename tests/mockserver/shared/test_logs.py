"""Logs of every kind keep the same laws."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from mockserver.shared.file_log import FileLog
from mockserver.shared.log import MOST_NOTES, Appended, LoggedSession, SessionLog


async def test_a_session_is_created_once(log: SessionLog) -> None:
    one = LoggedSession("a", "EC-001")
    assert [await log.create(one, b"1"), await log.create(one, b"2")] == [True, False]
    assert await log.read("a", 0) == [(1, b"1")]


async def test_of_two_that_write_the_same_number_one_is_refused(log: SessionLog) -> None:
    await log.create(LoggedSession("a", None), b"1")
    assert await log.append("a", 2, b"mine") is Appended.DONE
    assert await log.append("a", 2, b"yours") is Appended.BEHIND
    assert await log.read("a", 1) == [(2, b"mine")]
    assert await log.read("a", 2) == []


async def test_a_session_that_is_not_there_takes_nothing(log: SessionLog) -> None:
    assert await log.append("a", 2, b"x") is Appended.GONE
    assert (await log.read("a", 0), await log.read("a", 7)) == (None, None)


async def test_long_logs_are_read_whole(log: SessionLog) -> None:
    await log.create(LoggedSession("a", None), b"1")
    for number in range(2, 1203):
        await log.append("a", number, b"%d" % number)
    assert await log.read("a", 0) == [(number, b"%d" % number) for number in range(1, 1203)]


async def test_a_closed_session_is_short_and_not_listed(log: SessionLog) -> None:
    for name, case in (("b", None), ("a", "EC-001"), ("c", "x\ny")):
        await log.create(LoggedSession(name, case), b"1")
    for number in range(2, 6):
        await log.append("b", number, b"%d" % number)
    await log.close("b", 5)
    assert await log.read("b", 0) == [(1, b"1"), (5, b"5")]
    assert await log.append("b", 6, b"6") is Appended.DONE
    assert set(await log.sessions()) == {LoggedSession("a", "EC-001"), LoggedSession("c", "x\ny")}
    assert await log.count() == 2
    assert not await log.create(LoggedSession("b", None), b"1")


async def test_the_first_value_is_agreed_on(log: SessionLog) -> None:
    assert [await log.agree("x", b"1"), await log.agree("x", b"2")] == [b"1", b"1"]


async def test_the_latest_notes_are_kept(log: SessionLog) -> None:
    for number in range(MOST_NOTES + 3):
        await log.note(b"%d" % number)
    notes = await log.notes()
    assert (len(notes), notes[0], notes[-1]) == (MOST_NOTES, b"3", b"1002")


def test_processes_that_begin_together_open_the_same_files(tmp_path: Path) -> None:
    def begin(log: FileLog) -> None:
        asyncio.run(log.start())

    with ThreadPoolExecutor(4) as together:
        for number in range(10):
            logs = [FileLog(tmp_path / str(number), slots=3) for _ in range(4)]
            list(together.map(begin, logs))
