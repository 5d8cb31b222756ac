"""Assets, their history, and allow policies, as a snapshot holds them."""

from mockserver.apis.cloudasset import ASSETS, HISTORY
from mockserver.errors import Problem
from mockserver.googleapi import IAM_POLICIES, Rows, SnapshotImport, each_object, text_at
from mockserver.model import AnsweredCall, Capture, Captures, JsonObject


def keep_whole_policy(row: JsonObject, call: AnsweredCall) -> JsonObject | None:
    """A policy with all of its bindings; a query shows only those that meet it."""
    return None if call.params.get("query") else row


CAPTURES: Captures = {
    "cloudasset.assets.list": (Capture("assets", "assets"),),
    "cloudasset.searchAllIamPolicies": (
        Capture("iamPolicies", "results", ("resource",), reshape=keep_whole_policy),
    ),
    "cloudasset.batchGetAssetsHistory": (
        Capture("assetHistory", "assets", ("asset.name", "window.startTime")),
    ),
}
"""Discovery id to what its answers fill."""


def import_snapshot(found: SnapshotImport) -> None:
    """Make the tables: assets by full name, policies by resource."""
    assets: Rows = {}
    for pointer, row in each_object(found, ASSETS):
        name, kind = (text_at(found, pointer, row, field) for field in ("name", "assetType"))
        if name is None or kind is None:
            continue
        if name in assets:
            found.problems.append(Problem(f"{pointer}/name", f"{name!r} is there twice"))
        assets[name] = row
    found.tables[ASSETS] = assets
    found.tables[HISTORY] = _import_history(found)
    found.tables[IAM_POLICIES] = _import_policies(found)


def _import_history(found: SnapshotImport) -> Rows:
    rows: Rows = {}
    for pointer, row in each_object(found, HISTORY):
        asset, window = row.get("asset"), row.get("window")
        if not isinstance(asset, dict) or not isinstance(window, dict) or "name" not in asset:
            text = "needs a 'window' and an 'asset' with its 'name'"
            found.problems.append(Problem(pointer, text))
            continue
        rows[f"{asset['name']}/{window.get('startTime', '')}"] = row
    return rows


def _import_policies(found: SnapshotImport) -> Rows:
    rows: Rows = {}
    for pointer, row in each_object(found, IAM_POLICIES):
        resource = text_at(found, pointer, row, "resource")
        if resource is None:
            continue
        if not isinstance(row.get("policy"), dict):
            found.problems.append(Problem(f"{pointer}/policy", "a policy needs its 'bindings'"))
            continue
        rows[resource] = row
    return rows
