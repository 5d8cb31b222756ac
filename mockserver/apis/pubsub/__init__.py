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
    relies=(
        "Rely on: deadlines by the session's clock, retries, dead letters, ordering keys, filters, "
        "snapshots and seek, over REST and gRPC. Proof: its client in "
        "`tests/clients/test_google_clients.py`."
    ),
    beside_conventions=True,
)

__all__ = ["API"]
