"""Emulates Cloud Scheduler: jobs that run by their schedule, in a time zone, or when asked to.

Lists are answered by conventions.
"""

from mockserver.googleapi import Api, LazyHandlers

API = Api(
    name="cloudscheduler",
    documents=(("cloudscheduler", "v1"),),
    handlers=LazyHandlers(__name__),
    beside_conventions=True,
)

__all__ = ["API"]
