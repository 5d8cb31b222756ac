"""The real Google client over the bundled cloud project and over resources of other APIs."""

import asyncio
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest
from google.oauth2.credentials import Credentials
from googleapiclient.discovery import build
from googleapiclient.errors import HttpError

from mockserver.client import MockServer
from mockserver.model import JsonObject, SessionInfo, SessionReport, SessionSpec

FIXTURES = Path(__file__).parents[3] / "fixtures" / "sre"
EU = "projects/shop-prod/locations/europe-west1"
MIXED: JsonObject = {
    "resources": {
        "drive:v3": {"files": [{"id": "1a", "name": "Budget"}, {"id": "1b", "name": "Plan"}]},
        "compute:v1": {"instances": [{"name": "vm-1", "zone": "europe-west1-b"}]},
        "run:v2": {},
    },
    "operationPolls": 1,
}


class Cloud:
    """A server, and clients of sessions on it."""

    def __init__(self, runner: asyncio.Runner, server: MockServer) -> None:
        self._runner = runner
        self._server = server
        self._clients: list[Any] = []

    def open(self, **spec: Any) -> SessionInfo:
        return self._runner.run(self._server.open(SessionSpec(**spec)))

    def report(self, session: SessionInfo) -> SessionReport:
        return self._runner.run(self._server.close_session(session.id))

    def client(self, session: SessionInfo, api: str, version: str, path: str = "") -> Any:
        host = f"{api}.googleapis.com" if api != "drive" else "www.googleapis.com"
        endpoint = f"{session.base_url}/{host}/{path}"
        credentials = Credentials(token=session.token)  # type: ignore[no-untyped-call]
        options = {"api_endpoint": endpoint}
        made = build(api, version, credentials=credentials, client_options=options)
        self._clients.append(made)
        return made

    def close(self) -> None:
        for client in self._clients:
            client.close()
        self._runner.run(self._server.close())


@pytest.fixture(scope="module")
def cloud() -> Iterator[Cloud]:
    with asyncio.Runner() as runner:
        opened = Cloud(runner, runner.run(MockServer.start(FIXTURES)))
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def shop(cloud: Cloud) -> SessionInfo:
    return cloud.open()


def status_of(request: Any) -> int:
    with pytest.raises(HttpError) as caught:
        request.execute()
    return int(caught.value.status_code)


def test_projects_are_searched_as_agents_do(cloud: Cloud, shop: SessionInfo) -> None:
    projects = cloud.client(shop, "cloudresourcemanager", "v3").projects()
    query = 'projectId:shop-p* OR displayName:"data*"'
    found = projects.search(query=query).execute()["projects"]
    assert [project["projectId"] for project in found] == ["shop-prod", "data-lake-prod"]
    older = cloud.client(shop, "cloudresourcemanager", "v1").projects()
    assert older.get(projectId="shop-prod").execute()["projectNumber"] == "415104041262"
    assert status_of(projects.get(name="projects/none")) == 403


def test_the_cluster_of_the_incident_is_read(cloud: Cloud, shop: SessionInfo) -> None:
    clusters = cloud.client(shop, "container", "v1").projects().locations().clusters()
    listed = clusters.list(parent="projects/shop-prod/locations/-").execute()["clusters"]
    assert [cluster["name"] for cluster in listed] == ["prod-eu"]
    assert clusters.get(name=f"{EU}/clusters/prod-eu").execute()["status"] == "RUNNING"
    assert status_of(clusters.get(name=f"{EU}/clusters/none")) == 404


def test_assets_are_searched_and_their_history_is_read(cloud: Cloud, shop: SessionInfo) -> None:
    assets = cloud.client(shop, "cloudasset", "v1")
    types = ["apps.k8s.io/Deployment", "run.googleapis.com/Service"]
    found = assets.v1().searchAllResources(
        scope="projects/shop-prod",
        query="labels.team:shop",
        assetTypes=types,
        orderBy="displayName",
    )
    names = [row["displayName"] for row in found.execute()["results"]]
    assert names == ["cart", "checkout", "frontend", "payments"]
    policies = assets.v1().searchAllIamPolicies(scope="projects/shop-prod", query="policy:deploy*")
    assert len(policies.execute()["results"][0]["policy"]["bindings"]) == 2
    cart = (
        "//container.googleapis.com/projects/shop-prod/locations/europe-west1/clusters/prod-eu"
        "/k8s/namespaces/shop/apps/deployments/cart"
    )
    history = assets.v1().batchGetAssetsHistory(
        parent="projects/shop-prod",
        assetNames=[cart],
        contentType="RESOURCE",
        readTimeWindow_startTime="2020-01-01T00:00:00Z",
    )
    assert len(history.execute()["assets"]) == 2


def test_applications_and_what_they_are_made_of(cloud: Cloud, shop: SessionInfo) -> None:
    places = cloud.client(shop, "apphub", "v1").projects().locations()
    listed = places.applications().list(parent=EU).execute()["applications"]
    app = next(row["name"] for row in listed if row["displayName"] == "Online shop")
    workloads = places.applications().workloads().list(parent=app).execute()["workloads"]
    assert [row["displayName"] for row in workloads] == ["Cart", "Payments", "Frontend"]
    uri = workloads[0]["workloadReference"]["uri"]
    found = places.discoveredWorkloads().lookup(parent=EU, uri=uri).execute()
    assert found["discoveredWorkload"]["name"] == workloads[0]["discoveredWorkload"]


def test_links_to_bigquery_are_made_by_operations(cloud: Cloud) -> None:
    session = cloud.open(overrides=[{"operationPolls": 1}])
    places = cloud.client(session, "observability", "v1").projects().locations()
    parent = "projects/shop-prod/locations/-"
    (bucket,) = places.buckets().list(parent=parent).execute()["buckets"]
    datasets = places.buckets().datasets()
    (dataset,) = datasets.list(parent=bucket["name"]).execute()["datasets"]
    started = datasets.links().create(parent=dataset["name"], linkId="mine", body={}).execute()
    assert "done" not in started
    assert places.operations().get(name=started["name"]).execute()["done"] is True
    assert len(datasets.links().list(parent=dataset["name"]).execute()["links"]) == 2


def test_a_mail_is_sent_and_kept(cloud: Cloud, shop: SessionInfo) -> None:
    messages = cloud.client(shop, "gmail", "v1").users().messages()
    raw = urlsafe_b64encode(b"To: ann@example.com\r\nSubject: Hi\r\n\r\nThere").decode()
    sent = messages.send(userId="me", body={"raw": raw}).execute()
    assert messages.get(userId="me", id=sent["id"]).execute()["snippet"] == "There"
    assert status_of(messages.send(userId="me", body={"raw": ""})) == 400


def test_resources_of_other_apis_are_worked_with(cloud: Cloud) -> None:
    session = cloud.open(overrides=[MIXED])
    files = cloud.client(session, "drive", "v3", "drive/v3/").files()
    assert len(files.list(orderBy="name").execute()["files"]) == 2
    made = files.create(body={"name": "New"}).execute()
    files.update(fileId=made["id"], body={"name": "Newer"}).execute()
    assert files.get(fileId=made["id"], fields="name").execute() == {"name": "Newer"}
    files.delete(fileId=made["id"]).execute()
    assert status_of(files.get(fileId=made["id"])) == 404
    kind = {"mimeType": "application/vnd.google-apps.folder"}
    folder = files.create(body={"name": "All", **kind}).execute()["id"]
    inner = files.create(body={"name": "In it", "parents": [folder]}).execute()["id"]
    files.delete(fileId=folder).execute()
    assert status_of(files.get(fileId=inner)) == 404
    compute = cloud.client(session, "compute", "v1", "compute/v1/")
    zone = {"project": "p", "zone": "europe-west1-b"}
    started = compute.instances().insert(body={"name": "vm-2"}, **zone).execute()
    assert started["status"] == "RUNNING"
    waited = compute.zoneOperations().wait(operation=started["name"], **zone).execute()
    assert waited["status"] == "DONE"
    assert len(compute.instances().list(**zone).execute()["items"]) == 2
    services = cloud.client(session, "run", "v2").projects().locations().services()
    body = {"template": {"containers": [{"image": "us-docker.pkg.dev/p/web"}]}}
    parent = "projects/p/locations/l"
    operation = services.create(parent=parent, serviceId="web", body=body).execute()
    assert operation["name"].startswith("projects/p/locations/l/operations/")
    diff = cloud.report(session).diff
    assert diff.keys() == {"compute:v1/instances", "run:v2/revisions", "run:v2/services"}


def test_what_nothing_serves_says_what_would(cloud: Cloud) -> None:
    session = cloud.open()
    with pytest.raises(HttpError) as caught:
        cloud.client(session, "cloudbilling", "v1").services().list().execute()
    assert caught.value.status_code == 501
    details = orjson.loads(caught.value.content)["error"]["details"]
    fixture = orjson.loads(details[0]["metadata"]["fixture"])
    (entry,) = cloud.report(session).journal.entries
    assert entry.miss is not None
    assert (entry.source, entry.miss.blame) == ("none", "fixture_gap")
    served = cloud.open(overrides=[fixture])
    assert cloud.client(served, "cloudbilling", "v1").services().list().execute()["services"]


def test_schemas_answer_when_they_may(cloud: Cloud) -> None:
    session = cloud.open(sources=["stub", "state", "synthesis"])
    images = cloud.client(session, "vision", "v1").images()
    answer = images.annotate(body={"requests": []}).execute()
    assert answer["responses"]
    assert images.annotate(body={"requests": []}).execute() == answer
    assert {entry.source for entry in cloud.report(session).journal.entries} == {"synthesis"}
