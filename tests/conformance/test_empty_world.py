"""An empty world is an empty tenant: lists are empty, what is not there is 404, little is 501."""

import re
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any
from urllib.parse import quote, urlencode

import httpx
import pytest

from mockserver.apis import APIS
from mockserver.apis.generic import plan_of
from mockserver.googleapi import Api, Method, Parameter
from mockserver.model import SessionSpec
from mockserver.testing import EmulatorTransport
from tests.conformance.emulated import CATALOG

OF_THE_SERVICE: Mapping[str, str] = {
    "*.locations.get": "where a service is offered",
    "*.locations.list": "where a service is offered",
    "*.get*Config": "a setting that has a value of its own in each project",
    "*.get*Settings": "likewise",
    "*.getBoundary": "likewise",
    "*.getJwks": "keys that the service has",
    "apphub.projects.locations.extendedMetadataSchemas.*": "schemas of the service",
    "chromemanagement.customers.apps.*.get": "what stores of apps offer",
    "chromemanagement.customers.certificateProvisioningProcesses.get": "nothing here starts one",
    "cloudkms.projects.locations.retiredResources.*": "what is retired has a life of its own",
    "cloudresourcemanager.effectiveTags.list": "what is inherited",
    "cloudresourcemanager.locations.*": "what is inherited",
    "compute.*": "zones, types of machines and disks, and settings of a project, are the service's",
    "dns.projects.get": "quotas",
    "drive.apps.*": "what stores of apps offer",
    "drive.changes.*": "version 2 counts changes",
    "firestore.projects.locations.backups.*": "backups are made by schedules",
    "monitoring.locations.global.metricsScopes.get": "each project has one",
    "monitoring.uptimeCheckIps.list": "addresses of the service",
    "sheets.*": "its documents are looked for by Drive",
    "sql.backups.getBackup": "its document has names of its own for it",
    "sql.flags.list": "what the service offers",
    "sql.tiers.list": "what the service offers",
}
"""Reads that are 501 in an empty world, and what they are about that no empty tenant tells."""


def some_value(parameter: Parameter) -> Any:
    """What names nothing, in the form of a parameter."""
    known = {"customer": "my_customer", "customerId": "my_customer", "userId": "me"}
    if parameter.pattern.startswith("^"):
        return re.sub(r"\[\^/\]\+|\.\*", "none", parameter.pattern.strip("^$"))
    if parameter.enum:
        return parameter.enum[0]
    values = {"integer": 1, "number": 1, "boolean": "false"}
    return values.get(parameter.type, known.get(parameter.name, "none"))


def url_of(method: Method) -> str:
    values = {
        each.name: some_value(each)
        for each in method.parameters.values()
        if each.location == "path" or each.required
    }

    def filled(hit: re.Match[str]) -> str:
        return quote(str(values.pop(hit[2])), safe="/" if hit[1] else "")

    path = re.sub(r"\{(\+?)(\w+)\}", filled, method.path).lstrip("/")
    return f"https://{method.document.host}/{path}?{urlencode(values)}"


def reads_of(api: Api) -> Iterator[tuple[Method, str]]:
    """The lists and reads of an API's documents.

    Yields:
        The method, and what it does.
    """
    for method in CATALOG.methods():
        plan = plan_of(method)
        if (method.api, method.version) in api.documents and plan.verb in {"list", "get"}:
            yield method, plan.verb


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    headers = {"Authorization": "Bearer t"}
    with httpx.Client(transport=EmulatorTransport(), headers=headers) as made:
        yield made


@pytest.mark.slow
@pytest.mark.parametrize("api", [api for api in APIS if api.documents], ids=lambda api: api.name)
def test_an_empty_world_is_an_empty_tenant(api: Api, client: httpx.Client) -> None:
    wrong = []
    for method, verb in reads_of(api):
        answer = client.get(url_of(method))
        of_the_service = any(fnmatchcase(method.id, glob) for glob in OF_THE_SERVICE)
        if answer.status_code >= 500 and not of_the_service:
            wrong.append(f"{method.id} {verb}: {answer.status_code}")
        if answer.status_code >= 400:
            assert "error" in answer.text.lower(), method.id
    assert wrong == []


def test_what_is_of_the_service_is_501(client: httpx.Client) -> None:
    unused = dict(OF_THE_SERVICE)
    for api in APIS:
        for method, _ in reads_of(api):
            globs = [glob for glob in unused if fnmatchcase(method.id, glob)]
            if globs and client.get(url_of(method)).status_code == 501:
                for glob in globs:
                    del unused[glob]
    assert unused == {}


@pytest.mark.parametrize(
    "path",
    [
        "serviceusage.googleapis.com/v1/projects/p/services",
        "meet.googleapis.com/v2/conferenceRecords",
        "alertcenter.googleapis.com/v1beta1/alerts",
        "run.googleapis.com/v2/projects/p/locations/l/services/s/revisions",
        "container.googleapis.com/v1/projects/p/aggregated/usableSubnetworks",
    ],
)
def test_what_nobody_made_is_an_empty_list(path: str, client: httpx.Client) -> None:
    answer = client.get(f"https://{path}")
    assert (answer.status_code, answer.json()) == (200, {})


def test_projects_that_are_there_are_listed() -> None:
    row = {"name": "projects/42", "projectId": "shop", "displayName": "Shop"}
    spec = SessionSpec(overrides=({"projects": [row]},))
    with httpx.Client(transport=EmulatorTransport(spec=spec)) as client:
        found = client.get("https://bigquery.googleapis.com/bigquery/v2/projects").json()
        assert [(each["id"], each["numericId"]) for each in found["projects"]] == [("shop", "42")]
