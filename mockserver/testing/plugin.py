"""The pytest plugin: the fixtures `understudy` and `cassette`, and the markers of those names.

    @pytest.mark.understudy("fixtures/chrome-enterprise")
    def test_units(understudy): ...

    @pytest.mark.cassette("cassettes/orgs.yaml")
    def test_orgs(): ...

`understudy` is a session of the mock to which every HTTP client of the test is led; a test that
fails says what was asked and what nothing could answer.

With `cassette`, every httpx client of the test is answered from the cassette, or recorded into it
where `mode` says so. A test whose requests had no recording fails, and so does one that left
recordings unused, unless `strict=False`. `--cassette-mode` says for a whole run what may be
recorded.
"""

from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from mockserver.testing.mocks import Mock
    from mockserver.testing.recording import Recording

_MARKER = "cassette"
_MOCK = "understudy"
_SUITE = "understudy_suite"
_OPENED = pytest.StashKey["Mock"]()
_MODES = ("none", "once", "new_episodes", "all", "refresh")
_OPTIONS = frozenset({"mode", "strict", "redaction", "repeats", "barriers", "match", "exact"})


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--cassette-mode`, and the suite of a project."""
    parser.getgroup("mockserver").addoption(
        "--cassette-mode",
        choices=_MODES,
        default=None,
        help="how tests record whose marker names a cassette; overrides their own mode",
    )
    parser.addini(_SUITE, "the suite of the fixture `understudy` where its marker names none")


def pytest_configure(config: pytest.Config) -> None:
    """Say what the markers mean."""
    config.addinivalue_line(
        "markers",
        "cassette(file, mode='none', strict=True, redaction=None, repeats='once',"
        " barriers='strict', match=(), exact=False): answer the test's httpx clients from a"
        " cassette (mockserver); not strict: repeats='reads', barriers='warn'",
    )
    config.addinivalue_line(
        "markers",
        "understudy(suite, case=None, overrides=(), faults=(), clock='shift', seed=0,"
        " cassette=None, record='none', tunnel=(), listen=False): lead the test's HTTP clients to a"
        " session of the mock (mockserver); those of a class or module hold for its tests",
    )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give tests with a marker its fixture, before their own."""
    for item in items:
        names: list[str] | None = getattr(item, "fixturenames", None)
        for name in (_MARKER, _MOCK):
            if names is not None and item.get_closest_marker(name) and name not in names:
                names.insert(0, name)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Tell of a failed test what its mock was asked."""
    report = yield
    world = item.stash.get(_OPENED, None)
    if world is not None and report.failed and call.when == "call":
        report.sections.append(("understudy", world.summary()))
    return report


@pytest.fixture
def understudy(request: pytest.FixtureRequest) -> "Iterator[Mock]":
    """A session of the mock for this test, to which its HTTP clients are led.

    Yields:
        The session: `requests`, `misses`, `state()`, `diff`, `add_fault()`, `advance()`, `env`.
    """
    from mockserver.errors import MockServerError
    from mockserver.testing.mocks import mock

    suite, options = _read_mock_markers(request)
    try:
        world = mock(suite, **options).start()
    except MockServerError as error:
        pytest.fail(str(error), pytrace=False)
    request.node.stash[_OPENED] = world
    yield world
    try:
        world.stop()
    except MockServerError as error:
        pytest.fail(str(error), pytrace=False)


@pytest.fixture
def cassette(request: pytest.FixtureRequest) -> "Iterator[Recording]":
    """What the marker of this test names: a `mockserver.testing.recording.Recording`.

    Yields:
        The recording; its `player` tells what was played.
    """
    from mockserver.errors import MockServerError
    from mockserver.testing.recording import Recording, patch_httpx

    file, options = _read_marker(request)
    strict = options.pop("strict", True)
    if strict:
        options = {"repeats": "once", "barriers": "strict", **options}
    if options["mode"] == "none" and not file.exists():
        pytest.fail(f"{file} is not there; record it: --cassette-mode=once", pytrace=False)
    try:
        recording = Recording(file, **options)
    except MockServerError as error:
        pytest.fail(str(error), pytrace=False)
    with patch_httpx(recording):
        yield recording
    try:
        recording.finish()
    except MockServerError as error:
        pytest.fail(str(error), pytrace=False)
    left = "" if recording.player is None or recording.records else recording.player.leftovers()
    if strict and left:
        pytest.fail(f"{file.name}\n{left}", pytrace=False)


def _read_marker(request: pytest.FixtureRequest) -> tuple[Path, dict[str, Any]]:
    marker = request.node.get_closest_marker(_MARKER)
    if marker is None:
        raise pytest.UsageError("the fixture `cassette` needs the marker: @pytest.mark.cassette()")
    options: dict[str, Any] = {"mode": "none", **marker.kwargs}
    odd = sorted(options.keys() - _OPTIONS)
    if odd or len(marker.args) > 1 or options["mode"] not in _MODES:
        raise pytest.UsageError(
            f"cassette takes a file and {', '.join(sorted(_OPTIONS))}; modes: {', '.join(_MODES)}"
        )
    options["mode"] = request.config.getoption("--cassette-mode") or options["mode"]
    own = f"cassettes/{request.path.stem}/{request.node.originalname}.yaml"
    file = request.path.parent / (marker.args[0] if marker.args else own)
    if options["mode"] != "none":
        file.parent.mkdir(parents=True, exist_ok=True)
    return file, options


def _read_mock_markers(request: pytest.FixtureRequest) -> tuple[Path | None, Any]:
    """The suite and the options that the markers of a test say, the nearest first."""
    options: dict[str, Any] = {}
    for marker in request.node.iter_markers(_MOCK):
        if len(marker.args) > 1:
            raise pytest.UsageError("the marker understudy takes one suite; the rest has names")
        options = {**dict(zip(["suite"], marker.args, strict=False)), **marker.kwargs, **options}
    suite = options.pop("suite", request.config.getini(_SUITE) or None)
    if options.get("redaction"):
        options["redaction"] = _beside_test(request, options["redaction"])
    if options.get("record", "none") != "none" or options.get("cassette"):
        _read_cassette(request, options)
    return (None if suite is None else _beside_test(request, suite)), options


def _read_cassette(request: pytest.FixtureRequest, options: dict[str, Any]) -> None:
    own = f"cassettes/{request.path.stem}/{request.node.originalname}.yaml"
    file = request.path.parent / (options.get("cassette") or own)
    options["record"] = request.config.getoption("--cassette-mode") or options.get("record", "none")
    if options["record"] == "none" and not file.exists():
        pytest.fail(f"{file} is not there; record it: --cassette-mode=once", pytrace=False)
    options["cassette"] = file


def _beside_test(request: pytest.FixtureRequest, named: str | Path) -> Path:
    """A path as tests name it: from the test's folder, or from the root of the project."""
    beside = request.path.parent / named
    return beside if beside.exists() else request.config.rootpath / named
