"""Emulates Service Usage: every project has every service, enabled or not.

Services are enabled, disabled and listed by conventions.
"""

from mockserver.googleapi import Api, LazyHandlers

API = Api(
    name="serviceusage",
    documents=(("serviceusage", "v1"),),
    handlers=LazyHandlers(__name__),
    relies=(
        "Rely on: every project has every service, none is enabled before somebody does it, "
        "several at once, operations. Not there: dependencies between services, quotas; other "
        "APIs answer for services that are not enabled. Proof: "
        "`tests/mockserver/apis/test_serviceusage.py`."
    ),
    beside_conventions=True,
)

__all__ = ["API"]
