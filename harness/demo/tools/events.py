"""The Chrome audit log."""

from datetime import timedelta
from typing import Any

from harness.demo.clock import now
from harness.demo.google import Google, JsonObject
from harness.demo.tools.tenant import MY_CUSTOMER

PAGE = 50
DAYS = 7


def get_chrome_events(google: Google, args: JsonObject) -> JsonObject:
    """Chrome events of the last days, newest first.

    Args:
        google: Where to ask.
        args: `eventName` and `user` narrow it down; `days` (7) is how far it looks back.

    Returns:
        `{"events": [{"id", "time", "user", "name", "parameters": {name: value}}]}`
    """
    query: dict[str, Any] = {
        "userKey": args.get("user") or "all",
        "applicationName": "chrome",
        "customerId": MY_CUSTOMER,
        "maxResults": PAGE,
        "startTime": _days_ago(args.get("days", DAYS)),
    }
    if args.get("eventName"):
        query["eventName"] = args["eventName"]
    activities = google.reports().activities()
    items = google.pages(lambda token: activities.list(**query, pageToken=token), "items")
    return {"events": [_row(item, event) for item in items for event in item.get("events", [])]}


def _days_ago(days: float) -> str:
    return (now() - timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%S.000Z")


def _row(item: JsonObject, event: JsonObject) -> JsonObject:
    return {
        "id": item["id"]["uniqueQualifier"],
        "time": item["id"]["time"],
        "user": item.get("actor", {}).get("email", ""),
        "name": event["name"],
        "parameters": {entry["name"]: _value(entry) for entry in event.get("parameters", [])},
    }


def _value(parameter: JsonObject) -> Any:
    for kind in ("value", "intValue", "boolValue", "multiValue"):
        if kind in parameter:
            return parameter[kind]
    return None
