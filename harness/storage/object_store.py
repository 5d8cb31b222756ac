"""Objects below a URL (`s3://bucket/prefix`, `gs://...`, `memory://...`), through fsspec.

An object is there whole or not at all. Errors of every backend end here, in one sentence that holds
no credential. Needs the extra `stores`, with `s3fs` or `gcsfs` for S3 or Google Cloud Storage.
"""

import asyncio
import os
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urlsplit

from typing_extensions import override

from harness.errors import HarnessError, InfrastructureError, reason_of

_ATTEMPTS = 3
_FIRST_WAIT_S = 0.2
_AT_ONCE = 256
"""How many objects are asked for at a time."""

_URL = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*://")
_S3 = frozenset({"s3", "s3a"})
_LOCAL = frozenset({"file", "local"})
_READ_ONLY = frozenset({"http", "https", "data", "github", "zip", "tar"})
_EXTRAS: Mapping[str, str] = {"s3": "s3", "s3a": "s3", "gs": "gs", "gcs": "gs"}
_SECRET = re.compile(r"SECRET|TOKEN|PASSWORD|ACCESS_KEY|ACCOUNT_KEY|CONNECTION_STRING", re.I)
_SHORTEST_SECRET = 6
_LONGEST_REASON = 300

Answer = TypeVar("Answer")


class StoreDownError(InfrastructureError):
    """A store cannot be used now: it does not answer, refuses, or has no such bucket."""


class StoredObject(NamedTuple):
    """An object without its content.

    Attributes:
        key: Its path below the store.
        size: Bytes.
        tag: Changes when its content does.
    """

    key: str
    size: int
    tag: str


def is_store_url(text: str) -> bool:
    """Whether a text names a store and no folder.

    >>> is_store_url("s3://evals/runs"), is_store_url("runs")
    (True, False)
    """
    return _URL.match(text) is not None


def checked_store_url(text: str) -> str:
    """The URL of a store, without what says nothing.

    Raises:
        HarnessError: It holds a credential, names no bucket, or cannot be written to. What was
            named is not repeated where it may hold a secret.

    >>> checked_store_url("s3://evals/runs/")
    's3://evals/runs'
    """
    try:
        parts = urlsplit(text)
    except ValueError:
        raise HarnessError("the URL of the store cannot be read", hint="s3://bucket/runs") from None
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise HarnessError(
            "the URL of a store holds no credentials and no parameters",
            hint="s3://bucket/runs, with AWS_PROFILE or AWS_ACCESS_KEY_ID in the environment",
        )
    kind = parts.scheme.lower()
    if kind in _READ_ONLY:
        raise HarnessError(f"nothing can be written to {kind}://", hint="s3://bucket/runs")
    if not parts.netloc and not parts.path.strip("/"):
        raise HarnessError(f"{text!r} names no bucket", hint=f"{kind}://bucket/runs")
    return f"{kind}://{parts.netloc}{parts.path.rstrip('/')}"


class ObjectStore:
    """The objects below a URL; connected to when it is first asked.

    Args:
        url: See `checked_store_url`.
        sleep: Waits so many seconds between attempts.
    """

    def __init__(self, url: str, sleep: Callable[[float], None] = time.sleep) -> None:
        self.url = url
        self._sleep = sleep
        self._opened: tuple[Any, str] | None = None

    @override
    def __repr__(self) -> str:
        return f"ObjectStore({self.url!r})"

    def get(self, key: str) -> bytes | None:
        """The content of an object; None where there is none.

        Raises:
            StoreDownError: The store cannot be used.
        """
        try:
            content: bytes = self._call("read", key, lambda fs, path: fs.cat_file(path))
        except _MissingError:
            self.check()
            return None
        return content

    def get_all(self, keys: Sequence[str]) -> Iterator[tuple[str, bytes]]:
        """The contents of objects, many at a time; those that are gone by now are left out.

        Yields:
            Key and content, in the order of the keys.

        Raises:
            StoreDownError: The store cannot be used.
        """
        for start in range(0, len(keys), _AT_ONCE):
            part = keys[start : start + _AT_ONCE]

            def read(fs: Any, root: str, part: Sequence[str] = part) -> dict[str, Any]:
                found: dict[str, Any] = fs.cat([f"{root}/{key}" for key in part], on_error="return")
                return found

            found = self._call("read", "", read)
            by_key = {key: found.get(self._path(key)) for key in part}
            for key, content in by_key.items():
                if not isinstance(
                    content, bytes
                ):  # an error: ask for this one alone, with patience
                    content = self.get(key)
                if content is not None:
                    yield key, content

    def put(self, key: str, content: bytes) -> None:
        """Write an object whole, in the place of what was there.

        Raises:
            StoreDownError: The store cannot be used.
        """
        self._call("write", key, lambda fs, path: fs.pipe_file(path, content))

    def create(self, key: str, content: bytes) -> bool:
        """Write an object unless there is one of this key, which one of several writers can do.

        Returns:
            Whether it was written; an equal one that is there counts as written.

        Raises:
            StoreDownError: The store cannot be used.
        """
        try:
            self._call("write", key, lambda fs, path: fs.pipe_file(path, content, mode="create"))
        except _TakenError:
            return self.get(key) == content  # an attempt that was not answered may have written it
        return True

    def delete(self, keys: Sequence[str]) -> None:
        """Remove objects; those that are gone already are no error.

        Raises:
            StoreDownError: The store cannot be used.
        """
        for start in range(0, len(keys), _AT_ONCE):
            part = keys[start : start + _AT_ONCE]

            def remove(fs: Any, root: str, part: Sequence[str] = part) -> None:
                fs.rm([f"{root}/{key}" for key in part])

            try:
                self._call("remove", "", remove)
            except _MissingError:
                for key in part:
                    self._delete_one(key)

    def _delete_one(self, key: str) -> None:
        try:
            self._call("remove", key, lambda fs, path: fs.rm_file(path))
        except _MissingError:
            return

    def list_objects(self, prefix: str = "") -> Iterator[StoredObject]:
        """All objects below a prefix, by key.

        Yields:
            Each, without its content.

        Raises:
            StoreDownError: The store cannot be used.
        """
        try:
            found: dict[str, Mapping[str, Any]] = self._call(
                "list", prefix, lambda fs, path: fs.find(path, detail=True)
            )
        except _MissingError:
            self.check()
            return
        for path in sorted(found):
            info = found[path]
            key = self._key(path)
            if key:
                yield StoredObject(key, int(info.get("size") or 0), _tag(info))

    def list_folders(self) -> list[str]:
        """The first steps of all keys that have several, sorted: one request a thousand.

        Raises:
            StoreDownError: The store cannot be used.
        """
        try:
            found: list[Mapping[str, Any]] = self._call(
                "list", "", lambda fs, path: fs.ls(path, detail=True)
            )
        except _MissingError:
            self.check()
            return []
        return sorted(
            self._key(str(each["name"]).rstrip("/"))
            for each in found
            if each["type"] == "directory"
        )

    def check(self) -> None:
        """Refuse to go on with a bucket that is not there.

        Raises:
            StoreDownError: It is not, or the store cannot be used.
        """
        root = self._open()[1]
        bucket = root.lstrip("/").partition("/")[0]
        if not urlsplit(self.url).netloc or self.url.startswith("memory://"):
            return  # folders of such a store are made when they are first written to
        try:
            self._call("list", "", lambda fs, _path: fs.ls(bucket, detail=False))
        except _MissingError:
            raise StoreDownError(
                f"{self.url}: there is no bucket {bucket!r}", hint="make it, or name another"
            ) from None

    def _path(self, key: str) -> str:
        root = self._open()[1]
        return f"{root}/{key}" if key else root

    def _key(self, path: str) -> str:
        root = self._open()[1].strip("/")
        return path.strip("/").removeprefix(root).strip("/")

    def _call(self, verb: str, key: str, work: Callable[[Any, str], Answer]) -> Answer:
        fs, _ = self._open()
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                return work(fs, self._path(key))
            except FileNotFoundError as error:
                if verb == "write":
                    self.check()
                    raise self._down(verb, key, error) from None
                raise _MissingError from None
            except FileExistsError:
                raise _TakenError from None
            except Exception as error:  # noqa: BLE001  (each backend has errors of its own)
                if not _may_pass(error) or attempt == _ATTEMPTS:
                    raise self._down(verb, key, error) from None
            self._sleep(_FIRST_WAIT_S * 4 ** (attempt - 1))
        raise AssertionError("unreachable")

    def _open(self) -> tuple[Any, str]:
        if self._opened is None:
            kind = self.url.partition("://")[0]
            try:
                from fsspec.core import url_to_fs
            except ImportError:  # the extra of a kind brings it, too
                raise _missing_package("fsspec", _EXTRAS.get(kind, "stores")) from None
            try:
                fs, root = url_to_fs(self.url, **_options(kind))
            except ImportError:
                package = {"s3": "s3fs", "gs": "gcsfs"}.get(_EXTRAS.get(kind, ""), kind)
                raise _missing_package(package, _EXTRAS.get(kind, "")) from None
            except ValueError:
                raise HarnessError(
                    f"{self.url}: there is no kind of store {kind!r}",
                    hint="s3://bucket/runs, gs://bucket/runs, or a kind that fsspec knows",
                ) from None
            except Exception as error:  # noqa: BLE001  (credentials may be looked for at once)
                raise self._down("open", "", error) from None
            self._opened = fs, str(root).rstrip("/")
        return self._opened

    def _down(self, verb: str, key: str, error: Exception) -> StoreDownError:
        what = f"{self.url}/{key}" if key else self.url
        if _is_denied(error):
            hint = "check the credentials in the environment, and what they may do in this bucket"
            return StoreDownError(f"{what}: not allowed to {verb} it: {_text(error)}", hint=hint)
        hint = "check the network, the region, and the endpoint (AWS_ENDPOINT_URL)"
        return StoreDownError(f"{what}: cannot {verb} it: {_text(error)}", hint=hint)


class _MissingError(Exception):
    """There is no such object, or no such bucket."""


class _TakenError(Exception):
    """There is an object of this key already."""


def _options(kind: str) -> dict[str, Any]:
    """Listings are never remembered: other machines write, too."""
    options: dict[str, Any] = {"use_listings_cache": False, "skip_instance_cache": True}
    if kind in _LOCAL:
        options["auto_mkdir"] = True
    if kind in _S3:
        retries = {"max_attempts": 3, "mode": "standard"}
        options["config_kwargs"] = {
            "connect_timeout": 5,
            "read_timeout": 60,
            "retries": retries,
            "max_pool_connections": 64,
        }
    return options


def _missing_package(package: str, extra: str) -> HarnessError:
    hint = f"pip install 'understudy[{extra}]'" if extra else f"pip install {package}"
    return HarnessError(f"runs in this store need {package}, which is not installed", hint=hint)


def _tag(info: Mapping[str, Any]) -> str:
    for name in ("ETag", "etag", "md5Hash", "generation", "mtime", "created"):
        if info.get(name):
            return str(info[name]).strip('"')
    return str(info.get("size", ""))


def _may_pass(error: Exception) -> bool:
    """Whether the same may go well a moment later."""
    if isinstance(error, (PermissionError, NotImplementedError, TypeError, IsADirectoryError)):
        return False
    return not _is_denied(error)


def _is_denied(error: Exception) -> bool:
    if isinstance(error, PermissionError):
        return True
    return type(error).__name__ in {
        "NoCredentialsError", "PartialCredentialsError", "CredentialRetrievalError",
        "ProfileNotFound", "DefaultCredentialsError", "NoSuchBucket",
    }  # fmt: skip


def _text(error: Exception) -> str:
    """What an error says, without the secrets of the environment."""
    if isinstance(error, (asyncio.TimeoutError, TimeoutError)):
        return "no answer in time"
    said = " ".join(reason_of(error).split()) or type(error).__name__
    for secret in _secrets(os.environ):
        said = said.replace(secret, "***")
    return said if len(said) <= _LONGEST_REASON else f"{said[:_LONGEST_REASON]}..."


def _secrets(environment: Mapping[str, str]) -> Iterable[str]:
    return (
        value
        for name, value in environment.items()
        if _SECRET.search(name) and len(value) >= _SHORTEST_SECRET
    )
