"""An API whose keys a snapshot does not have is not loaded for it, which must change nothing."""

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from mockserver import apis
from mockserver.apis import APIS
from mockserver.googleapi import Api, SnapshotImport, named_rows

HOME = Path(apis.__file__).parent
FIXTURES = Path(__file__).parents[3] / "fixtures"
RAW: dict[str, Any] = {
    key: value
    for path in sorted(FIXTURES.glob("*/base/*.json"))
    for key, value in json.loads(path.read_bytes()).items()
}
"""Every key that a suite of ours has."""

FURTHER = {
    "firestore": ("resources",), "gmail": ("resources",), "logging": ("projects",),
    "tools": ("tools",),
}  # fmt: skip
LAZY = [
    api
    for api in APIS
    if api.name not in {"directory", "mcp"}
    and api.import_snapshot is not None  # or its module completes rows of others alone
    and (HOME / api.name / "snapshot.py").is_file()
]


def imported(api: Api, raw: dict[str, Any]) -> SnapshotImport:
    """What an API makes of a snapshot when its module is always loaded."""
    found = SnapshotImport(raw)
    for each in api.resources:
        found.tables[each.collection] = named_rows(found, each.collection, each.pattern)
    import_module(f"mockserver.apis.{api.name}.snapshot").import_snapshot(found)
    return found


@pytest.mark.parametrize("api", LAZY, ids=lambda api: api.name)
def test_without_its_keys_an_import_gives_what_nothing_gives(api: Api) -> None:
    own = {*(each.name for each in api.collections), *FURTHER.get(api.name, ())}
    raw = {key: value for key, value in RAW.items() if key not in own}
    lazy = SnapshotImport(raw)
    assert api.import_snapshot is not None
    api.import_snapshot(lazy)
    assert lazy == imported(api, raw)


@pytest.mark.parametrize("api", LAZY, ids=lambda api: api.name)
def test_with_its_keys_it_is_the_import_of_its_module(api: Api) -> None:
    lazy = SnapshotImport(RAW)
    assert api.import_snapshot is not None
    api.import_snapshot(lazy)
    assert lazy == imported(api, RAW)
