"""Emulates Cloud Tasks: tasks that wait for their time, are sent to their targets, and tried again.

Queues, lists and allow policies are answered by conventions.
"""

from mockserver.googleapi import Api, LazyHandlers

API = Api(
    name="cloudtasks",
    documents=(("cloudtasks", "v2"), ("cloudtasks", "v2beta3")),
    handlers=LazyHandlers(__name__),
    beside_conventions=True,
    relies=(
        "Rely on: tasks that are sent to this machine at their time and tried again, names that "
        "cannot be used again at once, paused and purged queues, views. Due tasks go out when a "
        "method of their queue is called. Not there: rate limits; what is elsewhere is recorded "
        "and not called. Proof: 19 of 20 of Google's samples; "
        "`tests/mockserver/apis/test_cloudtasks.py`."
    ),
)

__all__ = ["API"]
