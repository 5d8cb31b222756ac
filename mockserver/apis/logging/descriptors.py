"""Monitored resource types: those of the snapshot, or the ones that most logs come from.

Source: the public list of monitored resources; the texts are our own.
"""

from collections.abc import Mapping

from mockserver.googleapi import Call, PageRule, page
from mockserver.model import JsonObject

DESCRIPTORS = "monitoredResourceDescriptors"
_PAGES = PageRule(default=1000, maximum=1000)

_K8S = ("project_id", "location", "cluster_name")
_TYPES: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "audited_resource": ("Audited Resource", ("project_id", "service", "method")),
    "cloud_function": ("Cloud Function", ("project_id", "function_name", "region")),
    "cloud_run_job": ("Cloud Run Job", ("project_id", "job_name", "location")),
    "cloud_run_revision": (
        "Cloud Run Revision",
        ("project_id", "service_name", "revision_name", "location", "configuration_name"),
    ),
    "cloudsql_database": ("Cloud SQL Database", ("project_id", "database_id", "region")),
    "dataflow_step": (
        "Dataflow Step",
        ("project_id", "job_id", "step_id", "job_name", "region"),
    ),
    "gae_app": ("GAE Application", ("project_id", "module_id", "version_id", "zone")),
    "gce_instance": ("VM Instance", ("project_id", "instance_id", "zone")),
    "gcs_bucket": ("GCS Bucket", ("project_id", "bucket_name", "location")),
    "generic_node": ("Generic Node", ("project_id", "location", "namespace", "node_id")),
    "generic_task": (
        "Generic Task",
        ("project_id", "location", "namespace", "job", "task_id"),
    ),
    "global": ("Global", ("project_id",)),
    "http_load_balancer": (
        "Cloud HTTP Load Balancer",
        ("project_id", "forwarding_rule_name", "url_map_name", "target_proxy_name", "zone"),
    ),
    "k8s_cluster": ("Kubernetes Cluster", _K8S),
    "k8s_container": (
        "Kubernetes Container",
        (*_K8S, "namespace_name", "pod_name", "container_name"),
    ),
    "k8s_node": ("Kubernetes Node", (*_K8S, "node_name")),
    "k8s_pod": ("Kubernetes Pod", (*_K8S, "namespace_name", "pod_name")),
    "project": ("Project", ("project_id",)),
    "pubsub_subscription": ("Pub/Sub Subscription", ("project_id", "subscription_id")),
    "pubsub_topic": ("Pub/Sub Topic", ("project_id", "topic_id")),
    "service_account": ("Service Account", ("project_id", "email_id", "unique_id")),
}


def list_descriptors(call: Call) -> JsonObject:
    """Answers `monitoredResourceDescriptors.list`, by type and without names.

    Raises:
        ApiError: 400 for a negative page size or a token of another query.
    """
    given = call.world.table(DESCRIPTORS).rows().values()
    by_type = {str(row.get("type", "")): row for row in given} or _BUILT_IN
    rows = [by_type[kind] for kind in sorted(by_type)]
    shown, token = page(call, rows, _PAGES)
    nameless = [{key: each for key, each in row.items() if key != "name"} for row in shown]
    answer: JsonObject = {"resourceDescriptors": nameless}
    if token:
        answer["nextPageToken"] = token
    return answer


def _descriptor(kind: str) -> JsonObject:
    title, labels = _TYPES[kind]
    return {
        "type": kind,
        "displayName": title,
        "description": f"{title}, as log entries name it.",
        "labels": [{"key": label, "description": label.replace("_", " ")} for label in labels],
    }


_BUILT_IN = {kind: _descriptor(kind) for kind in _TYPES}
