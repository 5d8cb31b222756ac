"""What one API made, changed or removed, every other that shows it shows: a line for each pair."""

from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from mockserver.model import SessionSpec
from mockserver.state import issue_token, long_scope
from mockserver.testing import EmulatorTransport

ADMIN, BO, CY, DEE = (f"{name}@example.com" for name in ("admin", "bo", "cy", "dee"))
DIRECTORY = "admin.googleapis.com/admin/directory/v1"
CALENDAR = "www.googleapis.com/calendar/v3"
DRIVE = "www.googleapis.com/drive/v3"
GMAIL = "gmail.googleapis.com/gmail/v1/users/me"
PEOPLE = "people.googleapis.com/v1/people"
GROUPS = "cloudidentity.googleapis.com/v1/groups"
SETTINGS = "www.googleapis.com/groups/v1/groups"
RESOURCES = "cloudresourcemanager.googleapis.com"
EVERYBODY = (
    f"{PEOPLE}:listDirectoryPeople?readMask=emailAddresses"
    "&sources=DIRECTORY_SOURCE_TYPE_DOMAIN_PROFILE"
)
SNAPSHOT: dict[str, Any] = {
    "capturedAt": "2026-03-02T09:00:00Z",
    "customer": {"id": "C03x", "customerDomain": "example.com", "customerEmail": ADMIN},
    "orgUnits": [{"orgUnitId": "id:03root", "orgUnitPath": "/", "name": "example.com"}],
    "users": [
        {"id": str(100 + number), "primaryEmail": email,
         "name": {"givenName": email[:2], "familyName": "Ek", "fullName": f"{email[:2]} Ek"}}
        for number, email in enumerate((ADMIN, BO, CY))
    ],
    "projects": [{"name": "projects/1", "projectId": "shop-prod", "state": "ACTIVE"}],
}  # fmt: skip


class World:
    """One session, asked over HTTP in this process as any of its users."""

    def __init__(self) -> None:
        spec = SessionSpec(overrides=(SNAPSHOT,), clock="frozen")
        self._transport = EmulatorTransport(spec=spec)
        self.http = httpx.Client(transport=self._transport)
        self._tokens: dict[str, str] = {}

    def _token(self, who: str) -> str:
        world = self._transport.session.world
        scopes = (long_scope("cloud-platform"),)
        return issue_token(world, email=who, scopes=scopes, lifetime_s=9000)

    def status(self, verb: str, url: str, who: str = ADMIN) -> int:
        return self._ask(verb, url, None, who).status_code

    def __call__(self, verb: str, url: str, body: Any = None, who: str = ADMIN) -> Any:
        answer = self._ask(verb, url, body, who)
        assert answer.is_success, (verb, url, answer.text)
        return answer.json() if answer.content else {}

    def _ask(self, verb: str, url: str, body: Any, who: str) -> httpx.Response:
        token = self._tokens.get(who) or self._tokens.setdefault(who, self._token(who))
        headers = {"authorization": f"Bearer {token}"}
        return self.http.request(verb, f"https://{url}", json=body, headers=headers)


@pytest.fixture
def world() -> Iterator[World]:
    made = World()
    yield made
    made.http.close()


def add_user(world: World) -> None:
    name = {"givenName": "Dee", "familyName": "Ek"}
    body = {"primaryEmail": DEE, "name": name, "password": "long enough"}
    world("POST", f"{DIRECTORY}/users", body)


def add_group(world: World) -> str:
    world("POST", f"{DIRECTORY}/groups", {"email": "team@example.com", "name": "Team"})
    member = {"email": BO, "role": "MEMBER"}
    world("POST", f"{DIRECTORY}/groups/team@example.com/members", member)
    return str(world("GET", f"{GROUPS}:lookup?groupKey.id=team@example.com")["name"])


def send(world: World, who: str, to: str) -> None:
    mail = f"From: {who}\r\nTo: {to}\r\nSubject: Hi\r\n\r\nHi"
    raw = urlsafe_b64encode(mail.encode()).decode()
    world("POST", f"{GMAIL}/messages/send", {"raw": raw}, who)


def addresses(world: World) -> list[str]:
    people = world("GET", EVERYBODY).get("people", ())
    return [each["emailAddresses"][0]["value"] for each in people]


def inbox(world: World, who: str) -> int:
    return int(world("GET", f"{GMAIL}/messages?q=in:inbox", who=who)["resultSizeEstimate"])


SEEN: dict[str, Callable[[World], object]] = {
    "mail": lambda ask: ask("GET", f"{GMAIL}/profile", who=DEE)["emailAddress"],
    "people": lambda ask: DEE if DEE in addresses(ask) else "",
    "me": lambda ask: ask("GET", f"{PEOPLE}/me?personFields=emailAddresses", who=DEE)[
        "emailAddresses"][0]["value"],
    "calendar": lambda ask: ask("GET", f"{CALENDAR}/calendars/primary", who=DEE)["id"],
    "calendars": lambda ask: ask("GET", f"{CALENDAR}/users/me/calendarList", who=DEE)[
        "items"][0]["id"],
    "drive": lambda ask: ask("GET", f"{DRIVE}/about?fields=user", who=DEE)["user"]["emailAddress"],
    "owner": lambda ask: ask("POST", f"{DRIVE}/files?fields=owners", {"name": "a"}, DEE)[
        "owners"][0]["emailAddress"],
}  # fmt: skip


@pytest.mark.parametrize("where", SEEN)
def test_a_user_of_the_directory_is_everywhere(world: World, where: str) -> None:
    add_user(world)
    assert SEEN[where](world) == DEE
    world("DELETE", f"{DIRECTORY}/users/{DEE}")
    if where == "people":
        assert SEEN[where](world) == ""
    else:
        assert world.status("GET", f"{GMAIL}/profile", DEE) == 401


EDITORS: dict[str, tuple[str, dict[str, Any], str, Callable[[Any], object], str]] = {
    "docs": ("docs.googleapis.com/v1/documents", {"title": "A"}, "documentId",
             lambda row: row["title"], "document"),
    "sheets": ("sheets.googleapis.com/v4/spreadsheets", {"properties": {"title": "A"}},
               "spreadsheetId", lambda row: row["properties"]["title"], "spreadsheet"),
    "slides": ("slides.googleapis.com/v1/presentations", {"title": "A"}, "presentationId",
               lambda row: row["title"], "presentation"),
    "forms": ("forms.googleapis.com/v1/forms", {"info": {"title": "A"}},
              "formId", lambda row: row["info"]["documentTitle"], "form"),
}  # fmt: skip


@pytest.mark.parametrize("editor", EDITORS)
def test_a_file_of_an_editor_is_one_of_drive(world: World, editor: str) -> None:
    url, body, key, title, kind = EDITORS[editor]
    ident = world("POST", url, body, BO)[key]
    file, own = f"{DRIVE}/files/{ident}", f"{url}/{ident}"
    shown = world("GET", f"{file}?fields=name,mimeType,owners(emailAddress)", who=BO)
    name = "Untitled form" if editor == "forms" else "A"
    assert (shown["name"], shown["owners"]) == (name, [{"emailAddress": BO}])
    assert shown["mimeType"] == f"application/vnd.google-apps.{kind}"
    assert (world.status("GET", file, CY), world.status("GET", own, CY)) == (404, 403)
    shared = {"type": "user", "role": "reader", "emailAddress": CY}
    world("POST", f"{file}/permissions", shared, BO)
    world("PATCH", file, {"name": "B"}, BO)
    assert title(world("GET", own, who=CY)) == "B"
    listed = world("GET", f"{DRIVE}/files?q=sharedWithMe", who=CY)["files"]
    assert [each["name"] for each in listed] == ["B"]
    assert world.status("DELETE", file, CY) == 403
    world("DELETE", file, who=BO)
    assert world.status("GET", own, BO) == 404
    made = {"name": "C", "mimeType": f"application/vnd.google-apps.{kind}"}
    ident = world("POST", f"{DRIVE}/files", made, BO)["id"]
    assert title(world("GET", f"{url}/{ident}", who=BO)) == "C"


def test_a_user_who_is_renamed_keeps_everything(world: World) -> None:
    send(world, BO, CY)
    when = {"start": {"date": "2026-03-05"}, "end": {"date": "2026-03-06"}}
    event = {"summary": "Day", **when, "attendees": [{"email": CY}]}
    world("POST", f"{CALENDAR}/calendars/primary/events", event, BO)
    calendar = world("POST", f"{CALENDAR}/calendars", {"summary": "Team"}, CY)["id"]
    file = world("POST", f"{DRIVE}/files", {"name": "Plan"}, BO)["id"]
    shared = {"type": "user", "role": "writer", "emailAddress": CY}
    world("POST", f"{DRIVE}/files/{file}/permissions", shared, BO)
    world("PUT", f"{DIRECTORY}/users/{CY}", {"primaryEmail": DEE})
    assert inbox(world, DEE) == 1
    events = world("GET", f"{CALENDAR}/calendars/primary/events", who=DEE)["items"]
    assert [each["attendees"][0]["email"] for each in events] == [DEE]
    listed = world("GET", f"{CALENDAR}/users/me/calendarList", who=DEE)["items"]
    assert {each["id"] for each in listed} == {DEE, calendar}
    world("PATCH", f"{DRIVE}/files/{file}", {"name": "Plan B"}, DEE)
    send(world, BO, CY)  # the old address is an alias
    assert inbox(world, DEE) == 2
    assert world("GET", f"{GMAIL.replace('me', CY)}/profile", who=DEE)["emailAddress"] == DEE


def test_a_suspended_user_is_refused_and_gets_no_mail(world: World) -> None:
    world("PATCH", f"{DIRECTORY}/users/{CY}", {"suspended": True})
    assert world.status("GET", f"{GMAIL}/profile", CY) == 401
    send(world, BO, CY)
    (found,) = world("GET", f"{GMAIL}/messages?q=from:mailer-daemon", who=BO)["messages"]
    assert CY in world("GET", f"{GMAIL}/messages/{found['id']}", who=BO)["snippet"]
    world("PATCH", f"{DIRECTORY}/users/{CY}", {"suspended": False})
    assert inbox(world, CY) == 0


def test_a_group_is_one_of_three_apis(world: World) -> None:
    name = add_group(world)
    held = f"cloudidentity.googleapis.com/v1/{name}/memberships"
    assert world("GET", held)["memberships"][0]["preferredMemberKey"] == {"id": BO}
    changed = {"email": "crew@example.com", "name": "Crew"}
    world("PUT", f"{DIRECTORY}/groups/team@example.com", changed)
    shown = world("GET", f"cloudidentity.googleapis.com/v1/{name}")
    assert (shown["groupKey"]["id"], shown["displayName"]) == ("crew@example.com", "Crew")
    world("PATCH", f"{SETTINGS}/crew@example.com?alt=json", {"description": "All of us"})
    assert world("GET", f"{DIRECTORY}/groups/crew@example.com")["description"] == "All of us"
    world("PUT", f"{DIRECTORY}/users/{BO}", {"primaryEmail": DEE})
    assert world("GET", held)["memberships"][0]["preferredMemberKey"] == {"id": DEE}
    send(world, CY, "crew@example.com")
    assert inbox(world, DEE) == 1
    world("DELETE", f"{DIRECTORY}/users/{DEE}")
    assert world("GET", held) == {}
    world("DELETE", f"cloudidentity.googleapis.com/v1/{name}")
    for url in (f"{DIRECTORY}/groups/crew@example.com", f"{SETTINGS}/crew@example.com?alt=json"):
        assert world.status("GET", url) == 404


def test_a_member_of_a_group_reads_its_files(world: World) -> None:
    add_group(world)
    file = world("POST", f"{DRIVE}/files", {"name": "Plan"}, CY)["id"]
    assert world.status("GET", f"{DRIVE}/files/{file}", BO) == 404
    shared = {"type": "group", "role": "reader", "emailAddress": "team@example.com"}
    world("POST", f"{DRIVE}/files/{file}/permissions", shared, CY)
    assert world.status("GET", f"{DRIVE}/files/{file}", BO) == 200
    world("DELETE", f"{DIRECTORY}/groups/team@example.com/members/{BO}")
    assert world.status("GET", f"{DRIVE}/files/{file}", BO) == 404


def test_an_org_unit_that_is_renamed_is_so_for_its_users(world: World) -> None:
    units = f"{DIRECTORY}/customer/my_customer/orgunits"
    world("POST", units, {"name": "Eng", "parentOrgUnitPath": "/"})
    world("PATCH", f"{DIRECTORY}/users/{BO}", {"orgUnitPath": "/Eng"})
    world("PATCH", f"{units}/Eng", {"name": "Research"})
    assert world("GET", f"{DIRECTORY}/users/{BO}")["orgUnitPath"] == "/Research"


def test_a_conference_of_an_event_is_a_space_of_meet(world: World) -> None:
    request = {"requestId": "r", "conferenceSolutionKey": {"type": "hangoutsMeet"}}
    event = {"summary": "Call", "start": {"dateTime": "2026-03-05T09:00:00Z"},
             "end": {"dateTime": "2026-03-05T10:00:00Z"},
             "conferenceData": {"createRequest": request}}  # fmt: skip
    url = f"{CALENDAR}/calendars/primary/events?conferenceDataVersion=1"
    code = world("POST", url, event)["conferenceData"]["conferenceId"]
    space = world("GET", f"meet.googleapis.com/v2/spaces/{code}")
    assert space["meetingCode"] == code


def test_a_user_is_a_member_of_a_space_of_chat(world: World) -> None:
    space = {"spaceType": "SPACE", "displayName": "Team"}
    member = {"member": {"name": f"users/{BO}", "type": "HUMAN"}}
    asked = {"space": space, "memberships": [member]}
    name = world("POST", "chat.googleapis.com/v1/spaces:setup", asked)["name"]
    mine = world("GET", "chat.googleapis.com/v1/spaces", who=BO)["spaces"]
    assert [each["name"] for each in mine] == [name]


OF_A_PROJECT = [
    f"{RESOURCES}/v1/projects/{{}}",
    f"{RESOURCES}/v3/projects/{{}}",
    "storage.googleapis.com/storage/v1/b?project={}",
    "pubsub.googleapis.com/v1/projects/{}/topics",
    "bigquery.googleapis.com/bigquery/v2/projects/{}/datasets",
    "compute.googleapis.com/compute/v1/projects/{}",
    "secretmanager.googleapis.com/v1/projects/{}/secrets",
    "run.googleapis.com/v2/projects/{}/locations/us-central1/services",
    "iam.googleapis.com/v1/projects/{}/serviceAccounts",
    "serviceusage.googleapis.com/v1/projects/{}/services",
    "firestore.googleapis.com/v1/projects/{}/databases",
    "container.googleapis.com/v1/projects/{}/locations/-/clusters",
    "logging.googleapis.com/v2/projects/{}/logs",
    "sqladmin.googleapis.com/v1/projects/{}/instances",
]


def test_a_project_is_one_of_every_cloud_api(world: World) -> None:
    world("POST", f"{RESOURCES}/v3/projects", {"projectId": "new-shop", "displayName": "New"})
    refused = [url for url in OF_A_PROJECT if world.status("GET", url.format("new-shop")) != 200]
    assert refused == []
    listed = world("GET", "bigquery.googleapis.com/bigquery/v2/projects")["projects"]
    assert [each["id"] for each in listed] == ["shop-prod", "new-shop"]
    number = world("GET", f"{RESOURCES}/v1/projects/new-shop")["projectNumber"]
    compute = world("GET", "compute.googleapis.com/compute/v1/projects/new-shop")
    assert compute["id"] == number


def test_a_service_account_is_a_member_of_policies(world: World) -> None:
    made = {"accountId": "deploy", "serviceAccount": {"displayName": "Deploy"}}
    accounts = "iam.googleapis.com/v1/projects/shop-prod/serviceAccounts"
    email = world("POST", accounts, made)["email"]
    assert email == "deploy@shop-prod.iam.gserviceaccount.com"
    bound = {"bindings": [{"role": "roles/viewer", "members": [f"serviceAccount:{email}"]}]}
    bucket = world("POST", "storage.googleapis.com/storage/v1/b?project=shop-prod", {"name": "b-1"})
    world("PUT", f"storage.googleapis.com/storage/v1/b/{bucket['name']}/iam", bound)
    manager = f"{RESOURCES}/v3/projects/shop-prod"
    world("POST", f"{manager}:setIamPolicy", {"policy": bound})
    found = world(
        "GET",
        "cloudasset.googleapis.com/v1/projects/shop-prod:searchAllIamPolicies?query=policy:deploy",
    )
    assert "//storage.googleapis.com/b-1" in {each["resource"] for each in found["results"]}
