"""What all tests share: hypothesis gives the same examples on every machine, however busy it is."""

import atexit
import gc
import os
import shutil
import ssl
import tempfile
from collections.abc import Generator
from functools import cache
from pathlib import Path
from types import CodeType
from typing import Any

import httpx
import pytest
import typer.testing
from _pytest.doctest import DoctestModule
from httpx._transports import default as transports
from hypothesis import HealthCheck, core, settings
from hypothesis.internal.reflection import function_digest
from typer.main import get_command

import mockserver.client
from mockserver.capture import redaction_process
from tests.mutants.changes import changes
from tests.mutants.turns import is_due
from tests.patience import PATIENCE_S
from tests.warm import forked_command

gc.disable()  # modules and tests stay: looking through them takes half of collecting

settings.register_profile(
    "house",
    deadline=None,
    derandomize=True,
    max_examples=50,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("house")

_digests: dict[CodeType, bytes] = {}


def _digest_once(test: Any) -> bytes:
    """The same function in each row of a table is parsed once."""
    if hasattr(test, "__wrapped__") or not hasattr(test, "__code__"):
        return function_digest(test)
    if test.__code__ not in _digests:
        _digests[test.__code__] = function_digest(test)
    return _digests[test.__code__]


core.function_digest = _digest_once  # type: ignore[assignment, attr-defined]

for phase in ("connect", "read", "write", "pool"):  # five seconds pass quickly on a busy machine
    setattr(httpx._config.DEFAULT_TIMEOUT_CONFIG, phase, PATIENCE_S)

_make_context = httpx.create_ssl_context


@cache
def _trusted(file: str, folder: str) -> ssl.SSLContext:
    return _make_context(trust_env=bool(file or folder))


def _context(verify: Any = True, cert: Any = None, trust_env: bool = True) -> ssl.SSLContext:
    """What clients trust by default is read once: each reading costs more than most tests."""
    if verify is not True or cert is not None:
        return _make_context(verify, cert, trust_env)
    places = [os.environ.get(name, "") for name in ("SSL_CERT_FILE", "SSL_CERT_DIR")]
    return _trusted(*(places if trust_env else ("", "")))


transports.create_ssl_context = _context  # type: ignore[attr-defined]
typer.testing._get_command = cache(get_command)  # type: ignore[attr-defined]
os.fsync = lambda fd: None  # no test pulls the plug

if "UNDERSTUDY_HOME" not in os.environ:  # servers of tests keep their certificates nowhere else
    os.environ["UNDERSTUDY_HOME"] = tempfile.mkdtemp(prefix="understudy-")
    atexit.register(shutil.rmtree, os.environ["UNDERSTUDY_HOME"], ignore_errors=True)

for room in (mockserver.client, redaction_process):  # most of what such a process takes is imports
    room.child_command = forked_command  # type: ignore[attr-defined]


LONGEST = (
    "tests/acceptance/test_canary_clients.py",
    "tests/hostile/test_loaders.py",
    "tests/chaos/test_chaos.py",
    "tests/test_readme.py",
    "tests/clients/test_frameworks.py",
    "tests/acceptance/test_spread_runs.py",
    "tests/harness/storage/test_s3.py",
    "tests/test_docs_guides.py",
    "tests/clients/test_mcp_recordings.py",
    "tests/clients/test_tools_replayed.py",
    "tests/acceptance/test_state_laws.py",
    "tests/acceptance/test_core_alone.py",
    "tests/mockserver/console/test_browser.py",
    "tests/harness/server/console/test_browser.py",
    "tests/acceptance/test_ci_kit.py",
    "tests/acceptance/test_capture_google.py",
    "tests/acceptance/test_large_bodies.py",
    "tests/clients/test_google_tools.py",
    "tests/clients/test_gam.py",
    "tests/harness/statistics/test_false_alarms.py",
    "tests/harness/cli/test_doctor.py",
    "tests/acceptance/test_declared_agents.py",
)
"""Files of slow tests that take longest, those of single long tests first: what begins last keeps
the other cores waiting."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add what CI says at each commit."""
    parser.addoption(
        "--by-turns",
        action="store_true",
        help="only files of tests of what was changed, and of all others each third, by the commit",
    )


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """A file of which no test is wanted is not even imported."""
    if collection_path.suffix != ".py":
        return None
    if config.getoption("by_turns", default=False):
        path = collection_path.relative_to(config.rootpath).as_posix()
        if not is_due(path, _changes(config.rootpath)):
            return True
    unwanted = {
        "slow": lambda text: b"pytest.mark.slow" not in text,
        "not slow": lambda text: b"\npytestmark = pytest.mark.slow" in text,
    }.get(config.option.markexpr)
    return True if unwanted and unwanted(_text(collection_path)) else None


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(
    file_path: Path,
) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Examples are looked for only where there are some: looking takes longer than collecting."""
    collectors = yield
    if file_path.suffix != ".py" or b">>> " in _text(file_path):
        return collectors
    return [each for each in collectors if not isinstance(each, DoctestModule)]


_changes = cache(changes)


@cache
def _text(path: Path) -> bytes:
    return path.read_bytes()


def _has_slow_tests(path: Path) -> bool:
    return b"pytest.mark.slow" in _text(path)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The slow tests that take longest come first; all others stay as they are."""
    ranks = {name: rank for rank, name in enumerate(LONGEST)}

    def rank(item: pytest.Item) -> int:
        if item.get_closest_marker("slow") is None:
            return len(ranks)
        if not _has_slow_tests(item.path):
            raise pytest.UsageError(f"{item.nodeid} is slow, and its file does not say so")
        return ranks.get(item.nodeid.partition("::")[0], len(ranks))

    items.sort(key=rank)


def pytest_collection_finish(session: pytest.Session) -> None:
    """What was collected stays to the end: from here on only what tests make is garbage."""
    gc.freeze()
    gc.set_threshold(10_000, 10, 10)
    gc.enable()


def pytest_runtest_setup() -> None:
    """A command that starts servers has its process collect nothing until it serves."""
    gc.enable()
