"""What a Redis refuses is told in our words, without its password; nothing of it is lost."""

import asyncio
from pathlib import Path

import pytest

from mockserver.errors import MockServerError
from mockserver.shared.log import Appended, LogFullError, LoggedSession, LogUnavailableError
from mockserver.shared.redis_log import RedisLog, redis_name
from tests.mockserver.conftest import UNITS
from tests.mockserver.shared.processes import Processes
from tests.redis_servers import RedisServer, redis_server


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("redis://:hunter2@host:6379/1", "redis://host:6379/1"),
        ("rediss://ann:hunter2@host/0?ssl_cert_reqs=none", "rediss://host/0"),
        ("redis://:hunter2@host:none/0", "redis://host/0"),
        ("localhost", "localhost"),
        ("hunter2@localhost", "localhost"),
        ("ann:hunter2@localhost", "localhost"),
    ],
)
def test_a_name_of_a_redis_has_no_password(url: str, name: str) -> None:
    assert redis_name(url) == name


async def test_a_wrong_password_is_told() -> None:
    with redis_server("--requirepass", "open-sesame") as server:
        place = f"127.0.0.1:{server.port}/0"
        for given in ("", ":hunter2@"):
            log = RedisLog(f"redis://{given}{place}")
            with pytest.raises(LogUnavailableError) as refused:
                await log.start()
            await log.stop()
            assert "refuses this user or its password" in str(refused.value)
            assert "hunter2" not in str(refused.value)
        log = RedisLog(f"redis://:open-sesame@{place}")
        await log.start()
        await log.stop()


@pytest.mark.parametrize("url", ["http://:hunter2@x/0", "redis://:hunter2@x:none/0"])
async def test_a_url_that_is_none_is_told(url: str) -> None:
    with pytest.raises(MockServerError, match="is no URL of a Redis") as refused:
        await RedisLog(url).start()
    assert "hunter2" not in str(refused.value)


async def test_a_full_redis_refuses_and_loses_nothing(suite: Path) -> None:
    options = ("--maxmemory", "3mb", "--maxmemory-policy", "noeviction")
    with redis_server(*options) as server:
        log = RedisLog(server.url)
        await log.start()
        async with Processes(suite, log) as processes:
            one, two = processes.clients
            await one.post("/_mock/sessions", json={"id": "a"})
            answered, text = 0, "x" * 99_999
            while True:
                body = {
                    "name": f"U{answered}",
                    "parentOrgUnitPath": "/",
                    "description": text,
                }
                answer = await one.post(f"/s/a{UNITS}", json=body)
                if answer.status_code != 200:
                    break
                answered += 1
            assert (answer.status_code, "takes no more" in answer.text) == (507, True)
            diff = (await two.get("/_mock/sessions/a/diff")).json()
            assert sum(len(change["added"]) for change in diff.values()) == answered > 0
        with pytest.raises(LogFullError):
            await log.create(LoggedSession("b", None), b"x" * 3_999_999)  # alone too much
        await log.stop()


async def test_sessions_go_on_when_their_redis_is_back(suite: Path, tmp_path: Path) -> None:
    with redis_server() as server:
        log = RedisLog(server.url)
        await log.start()
        async with Processes(suite, log) as processes:
            one, two = processes.clients
            await one.post("/_mock/sessions", json={"id": "a"})
            body = {"name": "A", "parentOrgUnitPath": "/"}
            assert (await one.post(f"/s/a{UNITS}", json=body)).status_code == 200
            server.stop()
            away = await one.post(f"/s/a{UNITS}", json={**body, "name": "B"})
            assert (away.status_code, "does not answer" in away.text) == (503, True)
            server.start()
            for client, code in ((one, 409), (two, 409)):
                assert (await client.post(f"/s/a{UNITS}", json=body)).status_code == code
        await log.stop()


async def test_a_session_that_nobody_asks_expires(redis: RedisServer, tmp_path: Path) -> None:
    log = RedisLog(redis.url, prefix=f"{tmp_path.name}-ttl", ttl_s=1)
    await log.start()
    await log.create(LoggedSession("a", None), b"1")
    assert await log._redis.ttl(log._key("a")) == 1
    await log._redis.expire(log._key("a"), 0)
    assert await log.append("a", 2, b"2") is Appended.GONE
    assert (await log.sessions(), await log.count()) == ([], 0)
    await log.stop()


async def test_a_log_that_is_written_lives_on(redis: RedisServer, tmp_path: Path) -> None:
    async def left_after(ttl_s: int, pause_s: float) -> int:
        log = RedisLog(redis.url, prefix=f"{tmp_path.name}-{ttl_s}", ttl_s=ttl_s)
        await log.start()
        key = log._key("a")
        await log.create(LoggedSession("a", None), b"1")
        await log.append("a", 2, b"2")
        await log._redis.pexpire(key, 500)
        await asyncio.sleep(pause_s)
        await log.append("a", 3, b"3")
        left = int(await log._redis.pttl(key))
        await log.stop()
        return left

    assert await left_after(2, 0.05) > 1500
    assert await left_after(1000, 0.05) <= 500  # it had all of its life a moment ago
