"""Emulates Cloud Tasks: tasks that wait for their time, are sent to their targets, and tried again.

Queues, lists and allow policies are answered by conventions.
"""

from mockserver.googleapi import Api, LazyHandlers

API = Api(
    name="cloudtasks",
    documents=(("cloudtasks", "v2"), ("cloudtasks", "v2beta3")),
    handlers=LazyHandlers(__name__),
    beside_conventions=True,
)

__all__ = ["API"]
