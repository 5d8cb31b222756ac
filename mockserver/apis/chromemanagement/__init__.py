"""Emulates the Chrome Management API, and the older API for the same browsers and tokens."""

from mockserver.apis.chromemanagement.collections import COLLECTIONS
from mockserver.apis.chromemanagement.legacy_document import SUPPLEMENT
from mockserver.googleapi import Api, LazyHandlers, lazy_attribute, lazy_import

API = Api(
    name="chromemanagement",
    documents=(("chromemanagement", "v1"),),
    handlers=LazyHandlers(__name__),
    collections=COLLECTIONS,
    import_snapshot=lazy_import(__name__, COLLECTIONS),
    dialect="one_platform",
    error_names={
        "browsers": "*.chrome[Bb]rowsers.*",
        "chromeReports": "chromemanagement.customers.reports.*",
        "enrollBrowser": "*.enrollmentTokens.*",
        "enrollmentToken": "*.enrollmentTokens.*",
    },
    captures=lazy_attribute(__name__, "capture", "CAPTURES"),
    redaction=lazy_attribute(__name__, "capture", "RULES"),
)


LEGACY_API = Api(
    name="chromemanagement-legacy",
    documents=(),
    handlers=LazyHandlers(__name__, "legacy", "LEGACY_HANDLERS"),
    supplements=(SUPPLEMENT,),
    dialect="legacy",
    captures=lazy_attribute(__name__, "capture", "LEGACY_CAPTURES"),
)

__all__ = ["API", "LEGACY_API"]
