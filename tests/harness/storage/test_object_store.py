import secrets
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.errors import HarnessError
from harness.storage import ObjectStore, StoreDownError
from harness.storage.object_store import _options, checked_store_url
from tests.harness.storage.stores import Weather


@pytest.fixture
def store() -> ObjectStore:
    return ObjectStore(f"memory://{secrets.token_hex(8)}/runs")


@pytest.fixture
def weather(store: ObjectStore) -> Weather:
    found = Weather()
    found.over(store)
    return found


@pytest.mark.parametrize("kind", ["memory", "file"])
def test_objects_are_written_read_listed_and_removed(kind: str, tmp_path: Path) -> None:
    place = secrets.token_hex(8) if kind == "memory" else str(tmp_path / "bucket")
    store = ObjectStore(f"{kind}://{place}")
    assert (store.get("r/a"), store.list_folders(), list(store.list_objects())) == (None, [], [])
    store.put("r/a", b"1")
    store.put("r/a", b"22")
    store.put("r/b/c", b"3")
    store.put("top", b"4")
    assert store.get("r/a") == b"22"
    assert [(each.key, each.size) for each in store.list_objects("r")] == [("r/a", 2), ("r/b/c", 1)]
    assert store.list_folders() == ["r"]
    assert dict(store.get_all(["r/a", "r/gone", "top"])) == {"r/a": b"22", "top": b"4"}
    store.delete(["r/a", "r/gone", "top"])
    assert [each.key for each in store.list_objects()] == ["r/b/c"]


def test_one_of_several_creates_an_object(store: ObjectStore) -> None:
    assert store.create("a", b"1")
    assert store.create("a", b"1")  # an answer that was lost
    assert not store.create("a", b"2")
    assert store.get("a") == b"1"


@pytest.mark.parametrize("lost", [1, 2])
def test_what_was_done_and_whose_answer_was_lost_is_done_once(
    store: ObjectStore, weather: Weather, lost: int
) -> None:
    weather.lost = lost
    store.put("a", b"1")
    weather.lost = lost
    assert store.create("b", b"2")
    assert {each.key for each in store.list_objects()} == {"a", "b"}
    weather.lost = lost
    store.delete(["a"])
    assert [(each.key, store.get(each.key)) for each in store.list_objects()] == [("b", b"2")]


def test_what_may_pass_is_tried_again(store: ObjectStore, weather: Weather) -> None:
    weather.errors = [OSError("reset"), TimeoutError()]
    store.put("a", b"1")
    assert weather.calls == ["pipe_file"] * 3
    assert store.get("a") == b"1"


@pytest.mark.parametrize(
    ("error", "told", "attempts"),
    [
        (OSError("connection reset"), "cannot write it: connection reset", 3),
        (TimeoutError(), "cannot write it: no answer in time", 3),
        (PermissionError("Access Denied"), "not allowed to write it: Access Denied", 1),
        (type("NoCredentialsError", (Exception,), {})("none"), "not allowed to write it", 1),
        (ValueError("x" * 999), "cannot write it: xxx", 3),
    ],
)
def test_what_does_not_pass_is_told(
    store: ObjectStore, weather: Weather, error: Exception, told: str, attempts: int
) -> None:
    weather.always = error
    with pytest.raises(StoreDownError, match=told) as raised:
        store.put("a", b"1")
    assert raised.value.message.startswith(f"{store.url}/a: {told}")
    cure = "credentials" if told.startswith("not allowed") else "network"
    assert (raised.value.hint or "").startswith(f"check the {cure}")
    assert len(weather.calls) == attempts


def test_a_secret_of_the_environment_is_in_no_error(
    store: ObjectStore, weather: Weather, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "s3cr3t-value")
    weather.always = OSError("signature of s3cr3t-value is wrong")
    with pytest.raises(StoreDownError) as raised:
        store.get("a")
    assert "s3cr3t" not in str(raised.value)


@pytest.mark.parametrize(
    ("work", "error"),
    [
        (lambda store: store.put("a", b""), FileNotFoundError("no bucket")),
        (lambda store: store.create("a", b""), FileNotFoundError("no bucket")),
    ],
)
def test_a_bucket_that_is_not_there_is_told(
    store: ObjectStore, weather: Weather, work: Callable[[ObjectStore], None], error: Exception
) -> None:
    store.url = "s3://gone/runs"
    weather.always = error
    with pytest.raises(StoreDownError, match="there is no bucket"):
        work(store)


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("s3://key:s3cr3t@bucket/runs", "no credentials"),
        ("s3://bucket/runs?key=s3cr3t", "no credentials"),
        ("s3://", "names no bucket"),
        ("https://example.com/runs", "nothing can be written"),
        ("s3://[s3cr3t/runs", "cannot be read"),
    ],
)
def test_a_url_that_makes_no_sense_is_refused(url: str, told: str) -> None:
    with pytest.raises(HarnessError, match=told) as raised:
        checked_store_url(url)
    assert "s3cr3t" not in str(raised.value)


def test_what_is_asked_of_a_kind_of_store() -> None:
    fresh = {"use_listings_cache": False, "skip_instance_cache": True}
    assert _options("gs") == fresh
    assert _options("file") == _options("local") == {**fresh, "auto_mkdir": True}
    assert _options("s3") == _options("s3a")
    assert _options("s3") == {
        **fresh,
        "config_kwargs": {
            "connect_timeout": 5,
            "read_timeout": 60,
            "retries": {"max_attempts": 3, "mode": "standard"},
            "max_pool_connections": 64,
        },
    }


def test_a_kind_that_nobody_knows_is_refused() -> None:
    with pytest.raises(HarnessError, match="no kind of store 'tape'"):
        ObjectStore("tape://a/b").get("x")


@pytest.mark.parametrize(
    ("url", "package", "hint"),
    [("s3://a/b", "s3fs", "understudy[s3]"), ("gs://a/b", "gcsfs", "understudy[gs]")],
)
def test_a_package_that_is_missing_is_named(
    url: str, package: str, hint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(HarnessError, match=f"need {package}") as raised:
        ObjectStore(url).get("x")
    assert hint in raised.value.hint
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    with pytest.raises(HarnessError, match="need fsspec") as raised:
        ObjectStore(url).get("x")
    assert hint in raised.value.hint
