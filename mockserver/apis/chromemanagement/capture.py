"""Captured answers of the Chrome Management API, and what in them is secret."""

from mockserver.model import AnsweredCall, Capture, Captures, JsonObject
from mockserver.redaction import Rule

_DEVICE = ("deviceId",)
_TOKEN = ("tokenId",)


def keep_whole_customer(version: JsonObject, call: AnsweredCall) -> JsonObject | None:
    """A count of the whole customer; that of one org unit is counted from browsers."""
    return None if call.params.get("orgUnitId") else version


def browser_with_id(row: JsonObject, _: AnsweredCall) -> JsonObject:
    """A browser with its id under the name that both APIs share.

    >>> browser_with_id({"browserPermanentId": "d1"}, AnsweredCall("", {}, {}, {}))
    {'deviceId': 'd1'}
    """
    rest = {name: row[name] for name in row if name != "browserPermanentId"}
    return {"deviceId": row.get("browserPermanentId"), **rest}


def token_with_id(row: JsonObject, _: AnsweredCall) -> JsonObject:
    """A token with its id under the name that both APIs share."""
    rest = {name: row[name] for name in row if name != "tokenPermanentId"}
    return {"tokenId": row.get("tokenPermanentId"), **rest}


def legacy_token_with_id(row: JsonObject, _: AnsweredCall) -> JsonObject:
    """A token of the older API, which calls the token's value its id.

    >>> call = AnsweredCall("", {}, {}, {})
    >>> legacy_token_with_id({"tokenId": "11f0", "tokenPermanentId": "p1"}, call)
    {'tokenId': 'p1', 'token': '11f0'}
    """
    rest = {name: row[name] for name in row if name not in {"tokenId", "tokenPermanentId"}}
    return {"tokenId": row.get("tokenPermanentId"), "token": row.get("tokenId"), **rest}


CAPTURES: Captures = {
    "chromemanagement.customers.reports.countChromeVersions": (
        Capture(
            "chromeReports",
            "browserVersions",
            ("version", "channel", "system"),
            shape="object",
            under="browserVersions",
            reshape=keep_whole_customer,
        ),
    ),
    "chromemanagement.customers.chromeBrowsers.list": (
        Capture("browsers", "chromeBrowsers", _DEVICE, reshape=browser_with_id),
    ),
    "chromemanagement.customers.chromeBrowsers.get": (
        Capture("browsers", "", _DEVICE, reshape=browser_with_id),
    ),
    "chromemanagement.customers.enrollmentTokens.list": (
        Capture("enrollmentTokens", "enrollmentTokens", _TOKEN, reshape=token_with_id),
    ),
}
"""Discovery id to what its answers fill."""

LEGACY_CAPTURES: Captures = {
    "directory.chromebrowsers.list": (Capture("browsers", "browsers", _DEVICE),),
    "directory.enrollmentTokens.list": (
        Capture("enrollmentTokens", "chromeEnrollmentTokens", _TOKEN, reshape=legacy_token_with_id),
    ),
}
"""The same for the older API."""


RULES: tuple[Rule, ...] = (
    Rule("chrome_device_user", "username",
         ("lastloggedinuser", "lastloggeduser", "useremail", "deviceusername", "username"),
         about="who uses a device"),
    Rule("chrome_network", "network", ("ssid", "wifissid", "iccid", "mdn"),
         about="networks that a device knows"),
    Rule("chrome_enrollment", "enrollment", ("tokenid", "tokenpermanentid"), check="opaque",
         about="ids of enrollment tokens"),
    Rule("chrome_browser", "browser", ("browserid", "browseridentifier"), check="opaque",
         about="ids of browsers"),
)  # fmt: skip
"""The table."""
