"""Emulates the Chrome Management API, and the older API for the same browsers and tokens."""

from mockserver.apis.chromemanagement.legacy_document import SUPPLEMENT
from mockserver.googleapi import Api, Collection, LazyHandlers, lazy_attribute, lazy_import

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
