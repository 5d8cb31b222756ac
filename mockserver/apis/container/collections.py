"""The keys of snapshots that this API owns."""

from mockserver.googleapi import Collection

CLUSTERS = "clusters"

COLLECTIONS = (
    Collection(
        CLUSTERS,
        "clusters of Kubernetes Engine",
        times=(("createTime",), ("expireTime",), ("conditions", "*", "lastTransitionTime")),
        resource="container:v1#Cluster",
    ),
)
