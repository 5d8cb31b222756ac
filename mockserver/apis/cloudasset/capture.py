"""What captured answers of Cloud Asset Inventory are in a snapshot."""

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
