"""Emulates Service Usage: every project has every service, enabled or not.

Services are enabled, disabled and listed by conventions.
"""

from mockserver.googleapi import Api, LazyHandlers

API = Api(
    name="serviceusage",
    documents=(("serviceusage", "v1"),),
    handlers=LazyHandlers(__name__),
    beside_conventions=True,
)

__all__ = ["API"]
