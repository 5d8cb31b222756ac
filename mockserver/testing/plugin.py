"""The pytest plugin: the marker `cassette`, and the fixture of that name.

    @pytest.mark.cassette("cassettes/orgs.yaml")
    def test_orgs(): ...

Every httpx client of the test is answered from the cassette, or recorded into it where `mode` says
so. A test whose requests had no recording fails, and so does one that left recordings unused,
unless `strict=False`. `--cassette-mode` says for a whole run what may be recorded.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from mockserver.testing.recording import Recording

_MARKER = "cassette"
_MODES = ("none", "once", "new_episodes", "all", "refresh")
_OPTIONS = frozenset({"mode", "strict", "redaction", "repeats", "barriers", "match"})


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--cassette-mode`."""
    parser.getgroup("mockserver").addoption(
        "--cassette-mode",
        choices=_MODES,
        default=None,
        help="how tests with the marker `cassette` record; overrides their own mode",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Say what the marker means."""
    config.addinivalue_line(
        "markers",
        "cassette(file, mode='none', strict=True, redaction=None, repeats='once',"
        " barriers='strict', match=()): answer the test's httpx clients from a cassette"
        " (mockserver); not strict: repeats='reads', barriers='warn'",
    )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give tests with the marker the fixture, before their own."""
    for item in items:
        names: list[str] | None = getattr(item, "fixturenames", None)
        if names is not None and item.get_closest_marker(_MARKER) and _MARKER not in names:
            names.insert(0, _MARKER)


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
