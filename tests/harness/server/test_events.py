import asyncio

from harness.server.events import EventLog


async def test_who_comes_late_gets_what_is_kept_and_then_what_comes() -> None:
    log, got = EventLog(), []
    log.add("queued", {})

    async def follow() -> None:
        async for event in log.follow():
            got.append(event)

    following = asyncio.create_task(follow())
    for number in range(3):
        await asyncio.sleep(0)
        log.add("trial", {"number": number})
    log.close()
    await following
    assert [event.split(b"\n")[0] for event in got] == [b"id: 1", b"id: 2", b"id: 3", b"id: 4"]
    assert got[3] == b'id: 4\nevent: trial\ndata: {"number":2}\n\n'


async def test_only_the_newest_events_are_kept() -> None:
    log = EventLog(most=2)
    for number in range(5):
        log.add("trial", {"number": number})
    log.close()
    assert [event.id for event in log.after(0)] == [4, 5]
    assert [event async for event in log.follow(4)] == [log.after(4)[0].encoded()]
    assert [event async for event in log.follow(99)] == []


async def test_a_silence_is_filled_so_that_nobody_hangs_up() -> None:
    log = EventLog()
    following = log.follow(heartbeat_s=0.01)
    assert await anext(following) == b": still here\n\n"
    log.add("queued", {})
    assert (await anext(following)).startswith(b"id: 1\n")
    log.close()
    assert [event async for event in following] == []
