import json
from pathlib import Path
from typing import Any

import jsonpatch
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mockserver.capture.snapshots import minimal_override, write_override
from mockserver.errors import CaptureError, MockServerError, SessionError
from mockserver.model import JsonObject
from mockserver.storage import overlay

UNITS = [{"orgUnitId": f"id:03{n}", "name": f"U{n}", "orgUnitPath": f"/U{n}"} for n in range(9)]


def suite(folder: Path, **raw: Any) -> Path:
    (folder / "base").mkdir(parents=True)
    (folder / "base" / "all.json").write_text(json.dumps(raw), encoding="utf-8")
    return folder


@pytest.fixture
def base(tmp_path: Path) -> Path:
    return suite(tmp_path / "base-suite", orgUnits=UNITS, policySchemas=[])


@pytest.fixture
def captured(tmp_path: Path) -> Path:
    changed = [{**UNITS[0], "name": "Renamed"}, *UNITS[1:]]
    return suite(
        tmp_path / "captured", capturedAt="2026-11-20T09:00:00Z", orgUnits=changed, browsers=[]
    )


values = st.recursive(
    st.integers(0, 3) | st.sampled_from(["a", "b"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("xyz"), inner),
    max_leaves=6,
)
snapshots = st.dictionaries(st.sampled_from(["users", "members", "policies"]), values)


@given(snapshots, snapshots)
@settings(max_examples=60)
def test_a_base_with_its_override_is_what_was_captured(
    base: JsonObject, captured: JsonObject
) -> None:
    """CEP-67: what was captured comes back when the minimal override is put over the base."""
    override, patch = minimal_override(base, captured)
    found = jsonpatch.apply_patch(overlay(base, override), patch)
    assert found == {**base, **captured}


def test_what_differs_is_written_as_the_override_of_a_case(base: Path, captured: Path) -> None:
    lines = list(write_override(captured, base, "EC-051", (), replace=False))
    assert lines == [
        f"{base / 'EC-051' / 'overrides.json'}: browsers",
        f"{base / 'EC-051' / 'captured.patch.json'}: 1 steps",
    ]
    patch = json.loads((base / "EC-051" / "captured.patch.json").read_text(encoding="utf-8"))
    assert patch == [{"op": "replace", "path": "/orgUnits/0/name", "value": "Renamed"}]


def test_only_the_collections_that_count_are_written(base: Path, captured: Path) -> None:
    [line] = write_override(captured, base, "EC-051", ("orgUnits",), replace=False)
    assert line.endswith("captured.patch.json: 1 steps")


def test_an_override_that_is_there_is_replaced_only_when_asked_to(
    base: Path, captured: Path
) -> None:
    list(write_override(captured, base, "EC-051", (), replace=False))
    with pytest.raises(MockServerError, match="--replace"):
        list(write_override(captured, base, "EC-051", (), replace=False))
    list(write_override(captured, base, "EC-051", ("browsers",), replace=True))
    assert [path.name for path in (base / "EC-051").iterdir()] == ["overrides.json"]


def test_what_cannot_be_made_is_refused(base: Path, captured: Path) -> None:
    with pytest.raises(MockServerError, match="did you mean 'orgUnits'"):
        list(write_override(captured, base, "EC-051", ("orgUnit",), replace=False))
    with pytest.raises(MockServerError, match="is what the base"):
        list(write_override(base, base, "EC-051", (), replace=False))
    for name in ("../out", "base"):
        with pytest.raises(SessionError, match="cannot be the name"):
            list(write_override(captured, base, name, (), replace=False))


def test_a_folder_that_cannot_be_made_is_told(base: Path, captured: Path) -> None:
    (base / "EC-051").write_text("a file", encoding="utf-8")
    with pytest.raises(CaptureError, match="cannot write"):
        list(write_override(captured, base, "EC-051", (), replace=False))
