"""Emulates the clusters and node pools of the Kubernetes Engine API."""

from mockserver.googleapi import Api, Collection, LazyHandlers, lazy_attribute, lazy_import

CLUSTERS = "clusters"
COLLECTIONS = (
    Collection(
        CLUSTERS,
        "clusters of Kubernetes Engine",
        times=(("createTime",), ("expireTime",), ("conditions", "*", "lastTransitionTime")),
        resource="container:v1#Cluster",
    ),
)

API = Api(
    name="container",
    documents=(("container", "v1"),),
    handlers=LazyHandlers(__name__),
    collections=COLLECTIONS,
    import_snapshot=lazy_import(__name__, COLLECTIONS),
    captures=lazy_attribute(__name__, "capture", "CAPTURES"),
)
