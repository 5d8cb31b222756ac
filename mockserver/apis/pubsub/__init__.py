"""Emulates Pub/Sub: publish, pull, streaming pull, push, dead letters, ordering, seek, snapshots.

Topics, subscriptions, snapshots and schemas are made, listed and changed by conventions.
"""

from mockserver.apis.pubsub.collections import COLLECTIONS, STREAMING_PULL
from mockserver.googleapi import Api, LazyHandlers, lazy_import

API = Api(
    name="pubsub",
    documents=(("pubsub", "v1"),),
    handlers=LazyHandlers(__name__),
    collections=COLLECTIONS,
    import_snapshot=lazy_import(__name__, COLLECTIONS, module="collections"),
    supplements=(STREAMING_PULL,),
    beside_conventions=True,
)

__all__ = ["API"]
