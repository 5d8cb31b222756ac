"""Logs in Redis: a stream for each session, whose entries bear the numbers of its records.

Redis itself refuses an entry whose number is not above the last one, so two processes that write
at once, and one that believes itself alive, cannot both be right. Requests of one moment go out in
one round trip.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from urllib.parse import urlsplit

from mockserver.asgi.waits import deadline
from mockserver.errors import MockServerError, OverdueError, require_extra
from mockserver.shared.log import (
    MOST_NOTES,
    Appended,
    LogFullError,
    LoggedSession,
    LogUnavailableError,
)

if TYPE_CHECKING:
    from redis.asyncio import Redis
    from redis.asyncio.connection import AbstractConnection

_log = logging.getLogger(__name__)

T = TypeVar("T")

DEFAULT_TTL_S = 24 * 3600
"""How long a session that nobody asks is there."""

CLOSED_TTL_S = 3600
"""How long a closed session is still answered with 410."""

DEFAULT_PREFIX = "understudy"

_OLDEST = (6, 2)
"""What came before cannot append to a stream only where there is one."""

_PAGE = 500
_AT_ONCE = 200
_FIELD = b"r"
_PATIENCE_S = 5.0
_FRESH = 0.01
"""The part of its life after which a log that is written gets all of it again."""

_FRESH_KEPT = 20_000
_SCHEMES = frozenset({"redis", "rediss", "unix"})


def redis_name(url: str) -> str:
    """Where a Redis is, without credentials.

    >>> redis_name("redis://:hunter2@127.0.0.1:6379/1")
    'redis://127.0.0.1:6379/1'
    """
    if "//" not in url:
        return url.rpartition("@")[2]
    parts = urlsplit(url)
    try:
        port = parts.port
    except ValueError:
        port = None
    host = parts.hostname or ""
    place = f"{host}:{port}" if port else host
    return f"{parts.scheme}://{place}{parts.path}"


class _Write(NamedTuple):
    """A record that is to be written, and who waits for it."""

    key: str
    number: int
    record: bytes
    done: "asyncio.Future[Appended]"
    lineage: int


class _AnotherRedisError(Exception):
    """What answers now is not what answered before."""


class RedisLog:
    """The logs of sessions in Redis, which processes of several machines share.

    Attributes:
        lineage: How often another Redis answered than before: one that was started again, or the
            replica of it. Either may lack what the one before had answered.

    Args:
        url: `redis://[user:password@]host:port/database`, `rediss://` for TLS, `unix://` for a
            socket. What is said of it never has the password.
        prefix: What the names of all keys begin with.
        ttl_s: How long a session that nobody asks is there, in seconds.

    Raises:
        MockServerError: The URL is none of Redis.
        MissingExtraError: The extra `redis` is not installed.
    """

    def __init__(
        self, url: str, *, prefix: str = DEFAULT_PREFIX, ttl_s: int = DEFAULT_TTL_S
    ) -> None:
        require_extra("redis", "--redis needs", {"redis": "redis", "hiredis": "hiredis"})
        self.name = redis_name(url)
        if urlsplit(url).scheme not in _SCHEMES:
            raise MockServerError(
                f"{self.name!r} is no URL of a Redis", hint="redis://host:6379/0, or rediss://"
            )
        self._url = url
        self._prefix = prefix
        self._ttl_s = ttl_s
        self._waiting: list[_Write] = []
        self._writer: asyncio.Task[None] | None = None
        self.lineage = 0
        self._run_id = ""
        self._closing: set[asyncio.Task[None]] = set()
        self._fresh: dict[str, float] = {}

    async def start(self) -> None:
        """Connect.

        Raises:
            LogUnavailableError: Redis cannot be reached, refuses the password, or is too old.
            MockServerError: The URL is none of Redis.
        """
        self._redis = self._connect()
        facts: dict[str, Any] = await self._call(lambda: self._redis.info("server"))
        version = str(facts.get("redis_version", "0"))
        if tuple(int(part) for part in version.split(".")[:2] if part.isdigit()) < _OLDEST:
            raise LogUnavailableError(
                f"the Redis at {self.name} is of version {version}", hint="6.2 or later is needed"
            )

    def _connect(self) -> "Redis":
        from redis.asyncio import Redis
        from redis.asyncio.retry import Retry
        from redis.backoff import NoBackoff

        # a write whose answer was lost may be there: the client may not send it again by itself
        once = Retry(NoBackoff(), 0)
        try:
            return Redis.from_url(
                self._url,
                socket_timeout=_PATIENCE_S,
                socket_connect_timeout=_PATIENCE_S,
                retry=once,
                redis_connect_func=self._recognize,
            )
        except ValueError:  # its text may have the password
            raise MockServerError(f"{self.name!r} is no URL of a Redis") from None

    async def _recognize(self, connection: "AbstractConnection") -> None:
        """Greet a Redis; another one than before gets nothing that was meant for that one."""
        await connection.on_connect()
        await connection.send_command("INFO", "server")
        run_id = _run_id_of(await connection.read_response())
        before, self._run_id = self._run_id, run_id
        if before not in ("", run_id):
            self.lineage += 1
            self._fresh.clear()
            await connection.disconnect()
            raise _AnotherRedisError

    async def stop(self) -> None:
        """Disconnect, once what waits is written."""
        if self._writer is not None:
            with suppress(OverdueError):
                async with deadline(f"the last writes into {self.name}"):
                    await asyncio.wait({self._writer})
        await _close(self._redis)

    def _replace_client(self) -> None:
        """Begin anew with another client: this one did not answer in time."""
        _log.warning("the Redis at %s did not answer in time: connecting anew", self.name)
        given_up, self._redis = self._redis, self._connect()
        if self._writer is not None:
            self._writer.cancel()
            self._writer = asyncio.create_task(self._write()) if self._waiting else None
        closing = asyncio.create_task(_close(given_up))
        self._closing.add(closing)
        closing.add_done_callback(self._closing.discard)

    async def agree(self, name: str, value: bytes) -> bytes:
        """The first value of a name; once none says it for as long as a session lives, it ends."""
        key = f"{self._prefix}:agreed:{name}"

        async def settle() -> bytes:
            await self._redis.set(key, value, nx=True)
            await self._redis.expire(key, self._ttl_s)
            found: Any = await self._redis.get(key)
            return bytes(found or value)

        return await self._call(settle)

    async def create(self, session: LoggedSession, opening: bytes) -> bool:
        """Begin a log; False where there is one."""
        from redis.exceptions import ResponseError

        key = self._key(session.id)

        async def begin() -> bool:
            try:
                await self._redis.xadd(key, {_FIELD: opening}, id="1-0")
            except ResponseError as error:
                if _is_number_taken(error):
                    return False
                raise
            # its order among the open ones comes from Redis, which is one
            order = await self._redis.incr(f"{self._prefix}:opened")
            entry = f"{order}\n{session.case}" if session.case is not None else str(order)
            pipe = self._redis.pipeline(transaction=False)
            pipe.expire(key, self._ttl_s)
            pipe.hset(self._index, session.id, entry)
            await pipe.execute()
            return True

        return await self._call(begin)

    async def append(self, session_id: str, number: int, record: bytes) -> Appended:
        """Write the record of a number, together with what others write at this moment."""
        done: asyncio.Future[Appended] = asyncio.get_running_loop().create_future()
        self._waiting.append(_Write(self._key(session_id), number, record, done, self.lineage))
        if self._writer is None or self._writer.done():
            self._writer = asyncio.create_task(self._write())
        writer = self._writer
        try:
            async with deadline(f"the Redis at {self.name}"):
                return await done
        except OverdueError:
            if self._writer is writer:  # else another who waited has replaced it
                self._replace_client()
            raise

    async def _write(self) -> None:
        """Write what waits, and what comes while it is written."""
        while self._waiting:
            now, self._waiting = self._waiting[:_AT_ONCE], self._waiting[_AT_ONCE:]
            writes = [write for write in now if not write.done.done()]  # not those given up
            try:
                results = await self._execute(writes) if writes else []
                for write, result in zip(writes, results, strict=False):  # then those of lives
                    if not write.done.done():
                        _settle(write.done, result, self.name)
                if any(_is_read_only(result) for result in results):
                    await self._redis.connection_pool.disconnect()  # it leads to the primary anew
            except _AnotherRedisError:
                for write in writes:
                    if not write.done.done():
                        write.done.set_result(Appended.BEHIND)  # it reads the log first
            except BaseException as error:  # whatever it is: somebody waits for it
                for write in writes:
                    if not write.done.done():
                        write.done.set_exception(named_error(error, self.name))
                if not isinstance(error, Exception):
                    raise

    async def _execute(self, writes: list[_Write]) -> list[Any]:
        pool: Any = self._redis.connection_pool  # redis-py types neither of the two
        pipe: Any = self._redis.pipeline(transaction=False)
        pipe.connection = await pool.get_connection()
        if any(write.lineage != self.lineage for write in writes):  # seen by any connection
            await pipe.reset()
            raise _AnotherRedisError
        now = asyncio.get_running_loop().time()
        for write in writes:
            pipe.execute_command(
                "XADD", write.key, "NOMKSTREAM", f"{write.number}-0", _FIELD, write.record
            )
        stale = {write.key for write in writes if self._fresh.get(write.key, 0.0) <= now}
        for key in stale:
            pipe.expire(key, self._ttl_s)
        answers: list[Any] = await pipe.execute(raise_on_error=False)
        if len(self._fresh) > _FRESH_KEPT:
            self._fresh.clear()
        self._fresh.update(dict.fromkeys(stale, now + _FRESH * self._ttl_s))
        return answers

    async def read(self, session_id: str, after: int) -> list[tuple[int, bytes]] | None:
        """The records after a number."""
        key = self._key(session_id)

        async def page(start: int) -> list[tuple[bytes, dict[bytes, bytes]]]:
            found: Any = await self._redis.xrange(key, min=f"{start}-0", count=_PAGE)
            return list(found)

        records: list[tuple[int, bytes]] = []
        while True:
            start = after + 1
            found = await self._call(lambda first=start: page(first))  # type: ignore[misc]
            records += [(int(name.partition(b"-")[0]), pair[_FIELD]) for name, pair in found]
            if len(found) < _PAGE:
                break
            after = records[-1][0]
        if records:
            return records
        return [] if await self._call(lambda: self._redis.exists(key)) else None

    async def close(self, session_id: str, number: int) -> None:
        """Leave out what is between the opening and a number."""
        key = self._key(session_id)

        async def shorten() -> None:
            between: Any = await self._redis.xrange(key, min="2-0", max=f"{number - 1}-0")
            pipe = self._redis.pipeline(transaction=False)
            if between:
                pipe.xdel(key, *(name for name, _ in between))
            pipe.hdel(self._index, session_id)
            pipe.expire(key, min(CLOSED_TTL_S, self._ttl_s))
            await pipe.execute()

        await self._call(shorten)

    async def sessions(self) -> list[LoggedSession]:
        """The open sessions; those that have expired are left out of the index."""

        async def listed() -> list[LoggedSession]:
            index: Any = await self._redis.hgetall(self._index)
            entries = sorted((_entry(name, value) for name, value in index.items()))
            pipe = self._redis.pipeline(transaction=False)
            for _, session_id, _ in entries:
                pipe.exists(self._key(session_id))
            there = await pipe.execute()
            gone = [one[1] for one, is_there in zip(entries, there, strict=True) if not is_there]
            if gone:
                await self._redis.hdel(self._index, *gone)
            return [
                LoggedSession(session_id, case)
                for (_, session_id, case), is_there in zip(entries, there, strict=True)
                if is_there
            ]

        return await self._call(listed)

    async def count(self) -> int:
        """How many are open, with those that have expired since they were last listed."""
        return int(await self._call(lambda: self._redis.hlen(self._index)))

    async def note(self, content: bytes) -> None:
        """Keep a note."""

        async def push() -> None:
            pipe = self._redis.pipeline(transaction=False)
            pipe.rpush(self._notes, content)
            pipe.ltrim(self._notes, -MOST_NOTES, -1)
            pipe.expire(self._notes, self._ttl_s)
            await pipe.execute()

        await self._call(push)

    async def notes(self) -> list[bytes]:
        """The notes."""
        found: Any = await self._call(lambda: self._redis.lrange(self._notes, 0, -1))
        return list(found)

    def _key(self, session_id: str) -> str:
        return f"{self._prefix}:session:{session_id}"

    @property
    def _index(self) -> str:
        return f"{self._prefix}:sessions"

    @property
    def _notes(self) -> str:
        return f"{self._prefix}:notes"

    async def _call(self, work: Callable[[], Awaitable[T]]) -> T:
        """What Redis answers; what goes wrong in our words."""
        asked = self._redis
        task = asyncio.ensure_future(_work_anew(work))
        task.add_done_callback(_notice_end)
        try:
            async with deadline(f"the Redis at {self.name}"):
                # it is left to itself where it does not even end when it is cancelled
                return await asyncio.shield(task)
        except OverdueError:
            if self._redis is asked:
                self._replace_client()
            raise
        except MockServerError:
            raise
        except Exception as error:
            raise named_error(error, self.name) from error
        finally:
            if not task.done():
                task.cancel()


async def _work_anew(work: Callable[[], Awaitable[T]]) -> T:
    """Work, and once more where another Redis answers: it was sent nothing yet."""
    try:
        return await work()
    except _AnotherRedisError:
        return await work()


def _notice_end(task: "asyncio.Future[Any]") -> None:
    """Let the error of what was given up pass: who asked was told."""
    if not task.cancelled():
        task.exception()


def _run_id_of(info: object) -> str:
    """What names a Redis from its start to its end."""
    text = info.decode("utf-8", "replace") if isinstance(info, bytes) else str(info)
    _, _, rest = text.partition("run_id:")
    return rest.partition("\n")[0].strip()


async def _close(client: "Redis") -> None:
    """Disconnect; a client that does not end is left alone."""
    with suppress(Exception):
        async with deadline("the end of a client of Redis"):
            await client.aclose()


def _entry(name: bytes, value: bytes) -> tuple[int, str, str | None]:
    order, has_case, case = value.decode().partition("\n")
    return int(order), name.decode(), case if has_case else None


def _is_number_taken(error: Exception) -> bool:
    return "equal or smaller" in str(error)


def _is_read_only(result: object) -> bool:
    return isinstance(result, Exception) and type(result).__name__ == "ReadOnlyError"


def _settle(done: "asyncio.Future[Appended]", result: object, name: str) -> None:
    """Tell who waits for a record what became of it."""
    if result is None:
        done.set_result(Appended.GONE)
    elif not isinstance(result, Exception):
        done.set_result(Appended.DONE)
    elif _is_number_taken(result):
        done.set_result(Appended.BEHIND)
    else:
        done.set_exception(named_error(result, name))


def named_error(error: BaseException, name: str) -> MockServerError:
    """What a Redis says, in our words; its own text may quote what it was sent.

    Args:
        error: What the client raised; anything that it should not is told like no answer.
        name: Where the Redis is.
    """
    from redis.exceptions import AuthenticationError, NoPermissionError, OutOfMemoryError

    text = str(error)
    if isinstance(error, OutOfMemoryError) or text.startswith(("OOM", "MISCONF")):
        return LogFullError(
            f"the Redis at {name} takes no more: its memory or its disk is full",
            hint="close sessions, shorten --session-ttl, or raise its maxmemory",
        )
    if isinstance(error, (AuthenticationError, NoPermissionError)) or text.startswith(
        ("NOAUTH", "WRONGPASS", "NOPERM", "invalid username-password")
    ):
        return LogUnavailableError(
            f"the Redis at {name} refuses this user or its password",
            hint="put them into the URL: redis://user:password@host:6379/0",
        )
    if text.startswith("READONLY"):
        return LogUnavailableError(
            f"the Redis at {name} is a replica, which cannot be written", hint="name the primary"
        )
    return LogUnavailableError(
        f"the Redis at {name} does not answer ({type(error).__name__})",
        hint="start it, or name another with --redis",
    )
