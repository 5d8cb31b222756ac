"""Makes the override of a case of what a capture has otherwise than a suite's base."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import jsonpatch
import orjson

from mockserver.capture.basefiles import write_json
from mockserver.errors import CaptureError, MockServerError
from mockserver.model import Json, JsonObject, SessionSpec, did_you_mean
from mockserver.snapshots.worlds import Worlds
from mockserver.storage import Suite

_OVERRIDES = "overrides.json"
_PATCH = "captured.patch.json"
_MOMENT = "capturedAt"


def minimal_override(
    base: Mapping[str, Json], captured: Mapping[str, Json]
) -> tuple[JsonObject, list[JsonObject]]:
    """What has to be put over a base to get what was captured.

    A collection that differs is replaced, or patched where the patch is the shorter one; one that
    was not captured stays.

    Returns:
        The override, and the operations of a patch (RFC 6902).

    >>> minimal_override({"a": [1] * 99, "b": [1]}, {"a": [1] * 98 + [2], "b": [7]})
    ({'b': [7]}, [{'op': 'replace', 'path': '/a/98', 'value': 2}])
    """
    override: JsonObject = {}
    patch: list[JsonObject] = []
    for name, value in captured.items():
        before = base.get(name)
        if name not in base:
            override[name] = value
        elif before != value:
            steps = jsonpatch.make_patch({name: before}, {name: value}).patch
            # an override's objects are merged, so that only a patch takes a key away
            if isinstance(before, dict) or len(orjson.dumps(steps)) < len(orjson.dumps(value)):
                patch += steps
            else:
                override[name] = value
    return override, patch


def write_override(
    captured: Path, suite: Path, case: str, only: Sequence[str], *, replace: bool
) -> Iterator[str]:
    """Write the override of a case.

    Args:
        captured: The folder of a suite that was captured.
        suite: The folder of the suite that the case belongs to.
        case: The case's id.
        only: Collections that count; all that were captured when empty.
        replace: Whether an override that is there may be replaced.

    Yields:
        Lines about what was written.

    Raises:
        MockServerError: A suite cannot be read, a collection was not captured, nothing differs, or
            the override is there.
        CaptureError: It cannot be written.
    """
    base = Worlds(suite).merged(SessionSpec())
    found = Worlds(captured).merged(SessionSpec())
    for name in only:
        if name not in found:
            raise MockServerError(
                f"{captured} does not hold {name!r}", hint=did_you_mean(name, found)
            )
    chosen = {name: found[name] for name in only or found if name != _MOMENT}
    override, patch = minimal_override(base, chosen)
    files: dict[str, JsonObject | list[JsonObject]] = {}
    if override:
        files[_OVERRIDES] = override
    if patch:
        files[_PATCH] = patch
    if not files:
        raise MockServerError(f"what was captured is what the base of {suite} holds")
    yield from _written(Suite(suite).override_folder(case), files, replace=replace)


def _written(
    folder: Path, files: Mapping[str, JsonObject | list[JsonObject]], *, replace: bool
) -> Iterator[str]:
    there = [folder / name for name in (_OVERRIDES, _PATCH) if (folder / name).is_file()]
    if there and not replace:
        raise MockServerError(f"{there[0]} is there already", hint="--replace writes it anew")
    try:
        folder.mkdir(exist_ok=True)
        for name, content in files.items():
            write_json(folder / name, content)
            what = ", ".join(content) if isinstance(content, dict) else f"{len(content)} steps"
            yield f"{folder / name}: {what}"
        for path in there:
            if path.name not in files:
                path.unlink()
    except OSError as error:
        raise CaptureError(f"cannot write {folder}: {error.strerror or error}") from error
