"""Emulates what conventions do not tell of Drive: copies, exports, conversions, search, orders."""

from mockserver.apis.drive.link_document import LINKS
from mockserver.googleapi import Api, LazyHandlers, lazy_attribute, lazy_import

LISTS = lazy_attribute(__name__, "lists", "LISTS")


API = Api(
    name="drive",
    documents=(("drive", "v3"),),
    supplements=(LINKS,),
    handlers=LazyHandlers(__name__),
    dialect="legacy",
    beside_conventions=True,
    import_snapshot=lazy_import(__name__, (), "resources", module="permissions"),
)
OLD_API = Api(
    name="drive_v2",
    documents=(("drive", "v2"),),
    handlers=LazyHandlers(__name__, name="OLD_HANDLERS"),
    dialect="legacy",
    beside_conventions=True,
    import_snapshot=lazy_import(__name__, (), "resources", module="version2"),
)

__all__ = ["API", "LISTS", "OLD_API"]
