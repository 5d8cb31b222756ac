"""Emulates the Chrome Management API, and the older API for the same browsers and tokens."""

from mockserver.apis.chromemanagement.legacy import LEGACY_HANDLERS
from mockserver.apis.chromemanagement.legacy_document import SUPPLEMENT
from mockserver.apis.chromemanagement.methods import HANDLERS
from mockserver.apis.chromemanagement.snapshot import COLLECTIONS, import_snapshot
from mockserver.googleapi import Api

API = Api(
    name="chromemanagement",
    documents=(("chromemanagement", "v1"),),
    handlers=HANDLERS,
    collections=COLLECTIONS,
    import_snapshot=import_snapshot,
    dialect="one_platform",
    error_names={
        "browsers": "*.chrome[Bb]rowsers.*",
        "chromeReports": "chromemanagement.customers.reports.*",
        "enrollBrowser": "*.enrollmentTokens.*",
        "enrollmentToken": "*.enrollmentTokens.*",
    },
)

LEGACY_API = Api(
    name="chromemanagement-legacy",
    documents=(),
    handlers=LEGACY_HANDLERS,
    supplements=(SUPPLEMENT,),
    dialect="legacy",
)

__all__ = ["API", "LEGACY_API"]
