"""The Kubernetes client on namespaces, config maps and deployments."""

import json
import sys
from collections.abc import Callable

from kubernetes import client

base, token = sys.argv[1:]
settings = client.Configuration(host=f"{base}/kubernetes.local")
settings.api_key = {"authorization": token}
settings.api_key_prefix = {"authorization": "Bearer"}
api = client.ApiClient(settings)
core, apps = client.CoreV1Api(api), client.AppsV1Api(api)


def refused(function: Callable[..., object], *arguments: object) -> int | None:
    try:
        function(*arguments)
    except client.ApiException as error:
        return int(error.status)
    return None


meta = client.V1ObjectMeta
nowhere = refused(core.create_namespaced_config_map, "prod", {"metadata": {"name": "x"}})
core.create_namespace(client.V1Namespace(metadata=meta(name="prod")))
made = core.create_namespaced_config_map(
    "prod", client.V1ConfigMap(metadata=meta(name="cfg", labels={"a": "b"}), data={"k": "v"})
)
for number in range(4):
    core.create_namespaced_config_map("prod", {"metadata": {"name": f"c{number}"}})
names, page = [], core.list_namespaced_config_map("prod", limit=2)
while True:
    names.append([each.metadata.name for each in page.items])
    if not page.metadata._continue:
        break
    page = core.list_namespaced_config_map("prod", limit=2, _continue=page.metadata._continue)
patched = core.patch_namespaced_config_map("cfg", "prod", {"data": {"z": "y"}})
made.data = {"q": "1"}
replaced = core.replace_namespaced_config_map("cfg", "prod", made)
core.delete_namespaced_config_map("c0", "prod")
containers = [client.V1Container(name="web", image="nginx")]
labels = {"app": "web"}
pods = client.V1PodTemplateSpec(
    metadata=meta(labels=labels), spec=client.V1PodSpec(containers=containers)
)
spec = client.V1DeploymentSpec(
    replicas=2, selector=client.V1LabelSelector(match_labels=labels), template=pods
)
web = apps.create_namespaced_deployment(
    "prod", client.V1Deployment(metadata=meta(name="web"), spec=spec)
)
scaled = apps.patch_namespaced_deployment(
    "web", "prod", [{"op": "replace", "path": "/spec/replicas", "value": 5}]
)
json.dump({
    "nowhere": nowhere,
    "made": [made.kind, made.metadata.namespace, made.metadata.labels],
    "created": made.metadata.creation_timestamp.isoformat(),
    "names": names, "whole": len(core.list_namespaced_config_map("prod").items),
    "patched": patched.data, "replaced": replaced.data,
    "missing": refused(core.read_namespaced_config_map, "c0", "prod"),
    "twice": refused(core.create_namespace, client.V1Namespace(metadata=meta(name="prod"))),
    "web": [web.api_version, web.kind, web.spec.replicas, scaled.spec.replicas],
}, sys.stdout)  # fmt: skip
