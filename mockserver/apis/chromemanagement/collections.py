"""The keys of snapshots that this API owns."""

from mockserver.googleapi import Collection

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
    Collection(REPORTS, "Chrome reports: `browserVersions`"),
)
