"""Emulates Cloud Scheduler: jobs that run by their schedule, in a time zone, or when asked to.

Lists are answered by conventions.
"""

from mockserver.googleapi import Api, LazyHandlers

API = Api(
    name="cloudscheduler",
    documents=(("cloudscheduler", "v1"),),
    handlers=LazyHandlers(__name__),
    beside_conventions=True,
    relies=(
        "Rely on: when a job is next due by its schedule and time zone, runs that publish to "
        "Pub/Sub or call this machine, what became of the last one. Due jobs run when a method of "
        "their location is called, missed runs once. Not there: retries; what is elsewhere is "
        "recorded and not called. Proof: `tests/mockserver/apis/test_cloudscheduler.py`."
    ),
)

__all__ = ["API"]
