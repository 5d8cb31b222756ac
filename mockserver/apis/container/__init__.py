"""Emulates Kubernetes Engine: clusters and node pools, their sizes, versions and operations.

Collections are read, made and changed by the conventions of their document, with what recordings
tell.
"""

from mockserver.googleapi import Api, Collection, LazyHandlers, lazy_attribute, lazy_import

CLUSTERS = "clusters"
COLLECTIONS = (
    Collection(
        CLUSTERS,
        "clusters of Kubernetes Engine",
        resource="container:v1#Cluster",
        is_table=False,
    ),
)

API = Api(
    name="container",
    documents=(("container", "v1"),),
    handlers=LazyHandlers(__name__),
    collections=COLLECTIONS,
    complete_rows=lazy_import(__name__, COLLECTIONS, "resources", name="complete_rows"),
    captures=lazy_attribute(__name__, "snapshot", "CAPTURES"),
    relies=(
        "Rely on: clusters with their node pools, `currentNodeCount` by the sizes and zones of "
        "the pools, versions that the server config offers, states while an operation is pending "
        "(`operationPolls`), what is refused meanwhile, and that Autopilot has no node pools to "
        "change; the older methods of zones mean the same resources. Not there: nodes, workloads, "
        "quotas; a deleted cluster is gone at once. Proof: 956 recorded exchanges of the beta, "
        "whose resources are the same, status equal in 99 %, every field in 49 %; "
        "`tests/mockserver/apis/container`."
    ),
    beside_conventions=True,
)
