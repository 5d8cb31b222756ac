"""Emulates the Chrome Management API, and the older API for the same browsers and tokens.

No Discovery document has the older API. Not verified against the live API: its paths and field
names are those that its clients use.
"""

from mockserver.googleapi import Api, Collection, LazyHandlers, lazy_attribute, lazy_import
from mockserver.googleapi.resource_documents import document_head
from mockserver.model import JsonObject

_BROWSERS = "admin/directory/v1.1beta1/customer/{customer}/devices/chromebrowsers"
_TOKENS = "admin/directory/v1.1beta1/customer/{customer}/chrome/enrollmentTokens"
_READ_BROWSERS = "https://www.googleapis.com/auth/admin.directory.device.chromebrowsers.readonly"
_BROWSER_SCOPE = "https://www.googleapis.com/auth/admin.directory.device.chromebrowsers"
_CLOUD = "https://www.googleapis.com/auth/cloud-platform"

_TEXT: JsonObject = {"type": "string"}
_TIME: JsonObject = {"type": "string", "format": "date-time"}
_PATH: JsonObject = {"type": "string", "location": "path", "required": True}
_QUERY: JsonObject = {"type": "string", "location": "query"}
_NUMBER: JsonObject = {"type": "integer", "format": "int32", "location": "query"}


def _method(name: str, verb: str, path: str, **more: object) -> JsonObject:
    params = {part[1:].split("}")[0]: _PATH for part in path.split("/") if part.startswith("{")}
    given = more.pop("query", {})
    scopes = [_BROWSER_SCOPE, _CLOUD] + ([_READ_BROWSERS] if verb == "GET" else [])
    return {
        "id": f"directory.{name}",
        "httpMethod": verb,
        "path": path,
        "parameters": params | (given if isinstance(given, dict) else {}),
        "parameterOrder": list(params),
        "scopes": scopes,
        **more,
    }


_LIST_BROWSERS = {
    **dict.fromkeys(("query", "orderBy", "sortOrder", "orgUnitPath", "projection"), _QUERY),
    "maxResults": _NUMBER,
    "pageToken": _QUERY,
}
_LIST_TOKENS = {"query": _QUERY, "orgUnitPath": _QUERY, "pageSize": _NUMBER, "pageToken": _QUERY}
_ONE = {"$ref": "ChromeBrowserDevice"}
_TOKEN = {"$ref": "ChromeEnrollmentToken"}

_BROWSER_METHODS: JsonObject = {
    "list": _method(
        "chromebrowsers.list",
        "GET",
        _BROWSERS,
        query=_LIST_BROWSERS,
        response={"$ref": "ChromeBrowserDevices"},
    ),
    "get": _method(
        "chromebrowsers.get",
        "GET",
        f"{_BROWSERS}/{{deviceId}}",
        query={"projection": _QUERY},
        response=_ONE,
    ),
    "update": _method(
        "chromebrowsers.update",
        "PUT",
        f"{_BROWSERS}/{{deviceId}}",
        query={"projection": _QUERY},
        request=_ONE,
        response=_ONE,
    ),
    "delete": _method("chromebrowsers.delete", "DELETE", f"{_BROWSERS}/{{deviceId}}"),
    "moveChromeBrowsersToOu": _method(
        "chromebrowsers.moveChromeBrowsersToOu",
        "POST",
        f"{_BROWSERS}/moveChromeBrowsersToOu",
        request={"$ref": "ChromeBrowserMove"},
    ),
}
_TOKEN_METHODS: JsonObject = {
    "list": _method(
        "enrollmentTokens.list",
        "GET",
        _TOKENS,
        query=_LIST_TOKENS,
        response={"$ref": "ChromeEnrollmentTokens"},
    ),
    "create": _method("enrollmentTokens.create", "POST", _TOKENS, request=_TOKEN, response=_TOKEN),
    "revoke": _method("enrollmentTokens.revoke", "POST", f"{_TOKENS}/{{tokenPermanentId}}:revoke"),
}


def _schema(name: str, **properties: JsonObject) -> JsonObject:
    return {"id": name, "type": "object", "properties": properties}


def _list_of(name: str) -> JsonObject:
    return {"type": "array", "items": {"$ref": name}}


_BROWSER_TEXTS = (
    "annotatedAssetId annotatedLocation annotatedNotes annotatedUser kind etag deviceId "
    "machineName orgUnitPath serialNumber lastDeviceUser osPlatform osVersion osArchitecture "
    "osPlatformVersion virtualDeviceId"
)
_ENROLLMENT_TEXTS = (
    "kind tokenId tokenPermanentId customerId orgUnitPath tokenType state creatorId revokerId"
)
_COUNT: JsonObject = {"type": "string", "format": "int64"}
_TIMES = "lastActivityTime lastPolicyFetchTime lastRegistrationTime lastStatusReportTime"

SUPPLEMENT: JsonObject = {
    **document_head(
        "admin", "directory_v1.1beta1", "Admin SDK API: Chrome browsers", "admin.googleapis.com"
    ),
    "resources": {
        "chromebrowsers": {"methods": _BROWSER_METHODS},
        "enrollmentTokens": {"methods": _TOKEN_METHODS},
    },
    "schemas": {
        "ChromeBrowserDevice": _schema(
            "ChromeBrowserDevice",
            **dict.fromkeys(_BROWSER_TEXTS.split(), _TEXT),
            **dict.fromkeys(_TIMES.split(), _TIME),
            extensionCount=_COUNT,
            policyCount=_COUNT,
            browserVersions={"type": "array", "items": _TEXT},
            browsers=_list_of("ChromeBrowserInstallation"),
        ),
        "ChromeBrowserInstallation": _schema(
            "ChromeBrowserInstallation",
            browserVersion=_TEXT,
            channel=_TEXT,
            executablePath=_TEXT,
            lastPolicyFetchTime=_TIME,
            lastStatusReportTime=_TIME,
        ),
        "ChromeBrowserDevices": _schema(
            "ChromeBrowserDevices",
            kind=_TEXT,
            browsers=_list_of("ChromeBrowserDevice"),
            nextPageToken=_TEXT,
        ),
        "ChromeBrowserMove": _schema(
            "ChromeBrowserMove", orgUnitPath=_TEXT, resourceIds={"type": "array", "items": _TEXT}
        ),
        "ChromeEnrollmentToken": _schema(
            "ChromeEnrollmentToken",
            **dict.fromkeys(_ENROLLMENT_TEXTS.split(), _TEXT),
            **dict.fromkeys(("createTime", "expireTime", "revokeTime"), _TIME),
        ),
        "ChromeEnrollmentTokens": _schema(
            "ChromeEnrollmentTokens",
            kind=_TEXT,
            chromeEnrollmentTokens=_list_of("ChromeEnrollmentToken"),
            nextPageToken=_TEXT,
        ),
    },
}
"""The routes in Discovery's form."""


BROWSERS = "browsers"
TOKENS = "enrollmentTokens"
REPORTS = "chromeReports"
ONE_TOKEN = "enrollmentToken"  # noqa: S105  (a key of snapshots)
_REPORTED = (("lastStatusReportTime",), ("lastPolicyFetchTime",))
_BROWSER_TIMES = (
    ("lastActivityTime",),
    ("lastRegistrationTime",),
    ("omahaRecentFetchTime",),
    *_REPORTED,
    *(("browsers", "*", *path) for path in _REPORTED),
    ("lastDeviceUsers", "*", "lastStatusReportTime"),
)

_TOKEN_TIMES = (("createTime",), ("expireTime",), ("revokeTime",))
COLLECTIONS = (
    Collection(BROWSERS, "managed browsers", times=_BROWSER_TIMES),
    Collection(TOKENS, "enrollment tokens", times=_TOKEN_TIMES),
    Collection(ONE_TOKEN, "one enrollment token, or null", is_table=False),
    Collection(
        REPORTS,
        "Chrome reports, by the fields of their answers: `browserVersions`, `installedApps`",
    ),
)

API = Api(
    name="chromemanagement",
    documents=(("chromemanagement", "v1"),),
    handlers=LazyHandlers(__name__),
    collections=COLLECTIONS,
    import_snapshot=lazy_import(__name__, COLLECTIONS),
    error_names={
        "browsers": "*.chrome[Bb]rowsers.*",
        "chromeReports": "chromemanagement.customers.reports.*",
        "enrollBrowser": "*.enrollmentTokens.*",
        "enrollmentToken": "*.enrollmentTokens.*",
    },
    captures=lazy_attribute(__name__, "snapshot", "CAPTURES"),
    reads=frozenset({"chromemanagement:v1/devices"}),
    redaction=lazy_attribute(__name__, "redaction", "RULES"),
)


LEGACY_API = Api(
    name="chromemanagement-legacy",
    handlers=LazyHandlers(__name__, "legacy", "LEGACY_HANDLERS"),
    supplements=(SUPPLEMENT,),
    dialect="legacy",
    captures=lazy_attribute(__name__, "snapshot", "LEGACY_CAPTURES"),
)
