"""Who may call what, where a session asks: over HTTP, in this process."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from mockserver.googleapi.access import permission_of
from mockserver.model import SessionSpec
from mockserver.state import issue_token, long_scope
from mockserver.testing import EmulatorTransport

ADMIN, ANN, BO, CY = (f"{name}@example.com" for name in ("admin", "ann", "bo", "cy"))
BOT = "bot@shop-prod.iam.gserviceaccount.com"
RESOURCE_MANAGER = "//cloudresourcemanager.googleapis.com"


def policy(resource: str, **roles: Any) -> dict[str, Any]:
    bindings = [
        {"role": f"roles/{role.replace('__', '.')}", **(
            {"members": members} if isinstance(members, list) else members)}
        for role, members in roles.items()
    ]  # fmt: skip
    return {"resource": resource, "policy": {"bindings": bindings}}


OFFICE = "projects/1/topics/office"
SNAPSHOT: dict[str, Any] = {
    "capturedAt": "2026-03-02T09:00:00Z",
    "customer": {"id": "C03x", "customerDomain": "example.com", "customerEmail": ADMIN},
    "orgUnits": [
        {"orgUnitId": "id:03root", "orgUnitPath": "/", "name": "example.com"},
        {"orgUnitId": "id:03eng", "orgUnitPath": "/Eng", "name": "Eng",
         "parentOrgUnitId": "id:03root", "parentOrgUnitPath": "/"},
    ],
    "users": [
        {"id": f"10{number}", "primaryEmail": email, "orgUnitPath": unit, "isAdmin": email == ADMIN,
         "name": {"givenName": "A", "familyName": "B", "fullName": "A B"}}
        for number, (email, unit) in enumerate(((ADMIN, "/"), (ANN, "/Eng"), (BO, "/"), (CY, "/")))
    ],
    "groups": [{"id": "g1", "email": "data@example.com", "name": "Data"}],
    "members": {"data@example.com": [{"id": "103", "email": CY, "role": "MEMBER", "type": "USER"}]},
    "organizations": [{"name": "organizations/7", "displayName": "example.com", "state": "ACTIVE"}],
    "folders": [{"name": "folders/5", "parent": "organizations/7", "displayName": "Shops",
                 "state": "ACTIVE"}],
    "projects": [
        {"name": "projects/1", "projectId": "shop-prod", "parent": "folders/5", "state": "ACTIVE"},
        {"name": "projects/2", "projectId": "untold", "state": "ACTIVE"},
    ],
    "iamPolicies": [
        policy(f"{RESOURCE_MANAGER}/projects/shop-prod", viewer=[f"user:{ANN}"],
               bigquery__dataViewer=["group:data@example.com"], pubsub__publisher={
                   "members": [f"user:{CY}"],
                   "condition": {"expression": 'request.time < timestamp("2026-01-01T00:00:00Z")'},
               }),
        policy(f"{RESOURCE_MANAGER}/folders/5", owner=[f"user:{BO}"]),
        policy("//storage.googleapis.com/exports", storage__objectViewer=[f"serviceAccount:{BOT}"]),
        policy("//pubsub.googleapis.com/projects/shop-prod/topics/office",
               pubsub__publisher=[f"serviceAccount:{BOT}"]),
    ],
    "domainWideDelegations": [{"client": BOT, "scopes": ["drive.readonly"]}],
    "resources": {
        "admin:directory_v1": {
            "roles": [{"roleId": "9", "roleName": "Help desk", "rolePrivileges": [
                {"serviceId": "00haapch16h1ysv", "privilegeName": "USERS_ALL"},
                {"serviceId": "00haapch16h1ysv", "privilegeName": "ORGANIZATION_UNITS_RETRIEVE"}]}],
            "roleAssignments": [{"roleAssignmentId": "3", "roleId": "9", "assignedTo": "101",
                                 "scopeType": "ORG_UNIT", "orgUnitId": "03eng"},
                                {"roleAssignmentId": "4", "roleId": "9", "assignedTo": "102",
                                 "scopeType": "CUSTOMER"}],
        },
        "storage:v1": {"buckets": [{"id": "exports", "name": "exports", "projectNumber": "1"}]},
        "pubsub:v1": {"topics": [{"name": "projects/shop-prod/topics/office"}]},
    },
}  # fmt: skip


class Office:
    """A session that asks who may do what."""

    def __init__(self, **spec: Any) -> None:
        asked = {"auth": "permissions", "clock": "frozen", **spec}
        self.transport = EmulatorTransport(spec=SessionSpec(overrides=(SNAPSHOT,), **asked))
        self.http = httpx.Client(transport=self.transport)
        self.world = self.transport.session.world

    def token(self, email: str, *scopes: str) -> str:
        names = scopes or ("cloud-platform", "admin.directory.user", "admin.directory.orgunit",
                           "admin.reports.audit.readonly", "admin.directory.rolemanagement",
                           "apps.groups.settings", "drive")  # fmt: skip
        full = tuple(map(long_scope, names))
        return issue_token(self.world, email=email, scopes=full, lifetime_s=900)

    def __call__(
        self, who: str, verb: str, url: str, body: Any = None, *scopes: str
    ) -> httpx.Response:
        headers = {"authorization": f"Bearer {self.token(who, *scopes)}"}
        return self.http.request(verb, f"https://{url}", json=body, headers=headers)


@pytest.fixture(scope="module")
def office() -> Iterator[Office]:
    opened = Office()
    yield opened
    opened.http.close()


DIRECTORY = "admin.googleapis.com/admin/directory/v1"
TOPIC = "pubsub.googleapis.com/v1/projects/shop-prod/topics/office"
ROWS = "bigquery.googleapis.com/bigquery/v2/projects/shop-prod/datasets"
BUCKETS = "storage.googleapis.com/storage/v1/b"
ALLOWED = [
    (ADMIN, "GET", f"{DIRECTORY}/users?customer=my_customer"),
    (BO, "GET", f"{DIRECTORY}/users?customer=my_customer"),
    (CY, "GET", f"{DIRECTORY}/users?customer=my_customer&viewType=domain_public"),
    (ANN, "GET", f"{DIRECTORY}/users/{ANN}"),
    (BO, "GET", f"{DIRECTORY}/customer/my_customer/orgunits"),
    (ANN, "GET", TOPIC),
    (BO, "DELETE", f"{TOPIC}-none"),
    (BOT, "POST", f"{TOPIC}:publish"),
    (CY, "GET", ROWS),
    (BOT, "GET", f"{BUCKETS}/exports/o"),
    (CY, "GET", "pubsub.googleapis.com/v1/projects/untold/topics"),
    (CY, "GET", "cloudresourcemanager.googleapis.com/v3/projects:search"),
]


@pytest.mark.parametrize(("who", "verb", "url"), ALLOWED)
def test_what_a_role_or_a_policy_gives_is_answered(
    office: Office, who: str, verb: str, url: str
) -> None:
    body = {"messages": [{"data": "aGk="}]} if url.endswith(":publish") else None
    answer = office(who, verb, url, body)
    assert answer.status_code in {200, 404}, answer.text
    assert answer.status_code == 200 or url.endswith("-none")


NOT_AUTHORIZED = "Not Authorized to access this resource/api"
REFUSED = [
    (CY, "GET", f"{DIRECTORY}/users?customer=my_customer", NOT_AUTHORIZED),
    (CY, "GET", f"{DIRECTORY}/users/{CY}", NOT_AUTHORIZED),
    (BOT, "GET", f"{DIRECTORY}/users/{CY}", NOT_AUTHORIZED),
    (ANN, "GET", f"{DIRECTORY}/users/{BO}", NOT_AUTHORIZED),
    (BO, "GET", f"{DIRECTORY}/customer/my_customer/roles", NOT_AUTHORIZED),
    (CY, "POST", f"{TOPIC}:publish", "User not authorized to perform this action."),
    (ANN, "DELETE", TOPIC, "User not authorized to perform this action."),
    (CY, "GET", f"{BUCKETS}/exports/o", f"{CY} does not have storage.objects.list access to the "
     "Google Cloud Storage bucket. Permission 'storage.objects.list' denied on resource (or it may "
     "not exist)."),
    (CY, "GET", "compute.googleapis.com/compute/v1/projects/shop-prod/zones/z/instances",
     "Required 'compute.instances.list' permission for "
     "'projects/shop-prod/zones/z/instances'"),
    (CY, "POST", f"{ROWS.removesuffix('datasets')}queries", "Access Denied: Project shop-prod: "
     "User does not have bigquery.jobs.create permission in project shop-prod."),
    (ANN, "GET", "secretmanager.googleapis.com/v1/projects/1/secrets/s/versions/1:access",
     "Permission 'secretmanager.versions.access' denied on resource "
     "'//secretmanager.googleapis.com/projects/1/secrets/s/versions/1' (or it may not exist)."),
]  # fmt: skip


@pytest.mark.parametrize(("who", "verb", "url", "words"), REFUSED)
def test_what_none_gives_is_refused_in_the_words_of_the_api(
    office: Office, who: str, verb: str, url: str, words: str
) -> None:
    body = {"query": "SELECT 1"} if "queries" in url else None
    if url.endswith(":publish"):
        body = {"messages": [{"data": "aGk="}]}  # type: ignore[dict-item]
    answer = office(who, verb, url, body)
    assert (answer.status_code, answer.json()["error"]["message"]) == (403, words)


def test_activities_are_refused_as_reports_do(office: Office) -> None:
    url = "admin.googleapis.com/admin/reports/v1/activity/users/all/applications/login"
    answer = office(CY, "GET", url)
    assert answer.status_code == 401
    assert "not authorized to read activity records" in answer.text


def test_a_token_with_fewer_scopes_is_refused(office: Office) -> None:
    answer = office(ADMIN, "GET", f"{DIRECTORY}/users?customer=my_customer", None, "drive")
    error = answer.json()["error"]
    assert (answer.status_code, error["message"]) == (
        403,
        "Request had insufficient authentication scopes.",
    )
    assert error["details"][0]["reason"] == "ACCESS_TOKEN_SCOPE_INSUFFICIENT"


@pytest.mark.parametrize(
    ("who", "held"),
    [
        (ANN, ["pubsub.topics.get"]),
        (BO, ["pubsub.topics.delete", "pubsub.topics.get", "pubsub.topics.publish"]),
        (BOT, ["pubsub.topics.publish"]),
        (CY, []),
    ],
)
def test_permissions_are_tested_by_the_same_policies(
    office: Office, who: str, held: list[str]
) -> None:
    asked = ["pubsub.topics.delete", "pubsub.topics.get", "pubsub.topics.publish"]
    answer = office(who, "POST", f"{TOPIC}:testIamPermissions", {"permissions": asked})
    assert answer.json().get("permissions", []) == held


def test_a_policy_is_one_by_all_names_of_its_resource(office: Office) -> None:
    by_bucket = office(BO, "GET", f"{BUCKETS}/exports/iam").json()
    assert by_bucket["bindings"][0]["members"] == [f"serviceAccount:{BOT}"]
    manager = "cloudresourcemanager.googleapis.com/v3/projects"
    both = [
        office(BO, "POST", f"{manager}/{name}:getIamPolicy").json() for name in ("1", "shop-prod")
    ]
    assert both[0] == both[1] != {}


def test_a_binding_that_was_given_counts_from_then_on() -> None:
    office = Office()
    listed = f"{BUCKETS}?project=shop-prod"
    assert office(CY, "GET", listed).status_code == 403
    url = "cloudresourcemanager.googleapis.com/v3/projects/shop-prod"
    found = office(BO, "POST", f"{url}:getIamPolicy").json()
    found["bindings"].append({"role": "roles/storage.admin", "members": [f"user:{CY}"]})
    assert office(BO, "POST", f"{url}:setIamPolicy", {"policy": found}).status_code == 200
    assert office(CY, "GET", listed).status_code == 200
    assert office(CY, "POST", f"{url}:setIamPolicy", {"policy": found}).status_code == 403
    office.http.close()


def test_an_agent_acts_as_a_user_with_some_scopes() -> None:
    office = Office(acting_as=BO, scopes=("drive.readonly",))
    headers = {"authorization": f"Bearer {office.transport.session.token}"}
    drive = "https://www.googleapis.com/drive/v3"
    about = office.http.get(f"{drive}/about?fields=user", headers=headers)
    assert about.json()["user"]["emailAddress"] == BO
    made = office.http.post(f"{drive}/files", json={"name": "a"}, headers=headers)
    assert made.status_code == 403
    office(ADMIN, "PATCH", f"{DIRECTORY}/users/{BO}", {"suspended": True})
    about = office.http.get(f"{drive}/about?fields=user", headers=headers)
    assert about.status_code == 401
    office.http.close()


@pytest.mark.parametrize(
    ("method", "permission"),
    [
        ("storage.objects.rewrite", "storage.objects.create"),
        ("pubsub.projects.subscriptions.pull", "pubsub.subscriptions.consume"),
        ("secretmanager.projects.locations.secrets.versions.access",
         "secretmanager.versions.access"),
        ("firestore.projects.databases.documents.runQuery", "datastore.entities.list"),
        ("container.projects.locations.clusters.nodePools.create", "container.clusters.update"),
        ("sql.instances.insert", "cloudsql.instances.create"),
        ("gmail.users.messages.list", ""),
    ],
)  # fmt: skip
def test_methods_take_permissions(method: str, permission: str) -> None:
    assert permission_of(method) == permission
