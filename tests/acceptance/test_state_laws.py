"""Whatever is written and in whatever order, reads agree with a simple model of it."""

import asyncio
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from typing_extensions import override

from mockserver.http.application import Application
from mockserver.model import SessionSpec
from mockserver.settings import Settings

pytestmark = pytest.mark.slow

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
DIRECTORY = "/admin.googleapis.com/admin/directory/v1"
UNITS = f"{DIRECTORY}/customer/my_customer/orgunits"
NAMES = st.sampled_from(["Ada", "ADA", "Bo", "Cy team", "Dé"])
FEW = settings(max_examples=25, stateful_step_count=40)


class Server:
    """An application asked in process, with two sessions of one spec."""

    def __init__(self) -> None:
        self._runner = asyncio.Runner()
        self._app = Application(Settings(), real=lambda: NOW)
        transport = httpx.ASGITransport(self._app)
        self._client = httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1")
        for name in ("a", "b"):
            self._app.sessions.open(SessionSpec(id=name, clock="frozen", seed=3))

    def ask(self, verb: str, path: str, body: Any = None) -> httpx.Response:
        """The answer of the first session; the second, asked the same, must answer alike."""
        one, other = (
            self._runner.run(self._client.request(verb, f"/s/{name}{path}", json=body))
            for name in ("a", "b")
        )
        assert (one.status_code, one.content) == (other.status_code, other.content)
        return one

    def pages(self, path: str, key: str) -> list[Any]:
        found: list[Any] = []
        token = ""
        while True:
            sign = "&" if "?" in path else "?"
            page = self.ask("GET", f"{path}{sign}maxResults=2{token}").json()
            found += page.get(key, [])
            if "nextPageToken" not in page:
                return found
            assert len(page[key]) == 2
            token = f"&pageToken={page['nextPageToken']}"

    def close(self) -> None:
        self._runner.run(self._client.aclose())
        self._runner.close()


class OrgUnits(RuleBasedStateMachine):
    """A tree: id to name and parent; names are unique among siblings, whatever their case."""

    def __init__(self) -> None:
        super().__init__()
        self.server = Server()
        root = self.server.ask("GET", f"{UNITS}//").json()
        self.root = root["orgUnitId"]
        self.units: dict[str, tuple[str, str]] = {}

    @override
    def teardown(self) -> None:
        self.server.close()

    def path(self, unit: str) -> str:
        if unit == self.root:
            return ""
        name, parent = self.units[unit]
        return f"{self.path(parent)}/{name}"

    def taken(self, name: str, parent: str, but: str = "") -> bool:
        return any(
            above == parent and other.casefold() == name.casefold() and unit != but
            for unit, (other, above) in self.units.items()
        )

    def below(self, unit: str) -> set[str]:
        return {unit}.union(
            *(self.below(each) for each, (_, parent) in self.units.items() if parent == unit)
        )

    def any(self, data: st.DataObject, *, root: bool = True) -> str:
        chosen: str = data.draw(st.sampled_from([*([self.root] if root else []), *self.units]))
        return chosen

    @rule(data=st.data(), name=NAMES)
    def insert(self, data: st.DataObject, name: str) -> None:
        parent = self.any(data)
        by_path = data.draw(st.booleans())
        above = (
            {"parentOrgUnitPath": self.path(parent) or "/"}
            if by_path
            else {"parentOrgUnitId": parent}
        )
        answer = self.server.ask("POST", UNITS, {"name": name, **above})
        if self.taken(name, parent):
            assert answer.status_code == 409
        else:
            assert answer.status_code == 200
            self.units[answer.json()["orgUnitId"]] = (name, parent)

    @precondition(lambda self: self.units)
    @rule(data=st.data(), name=NAMES)
    def rename(self, data: st.DataObject, name: str) -> None:
        unit = self.any(data, root=False)
        answer = self.server.ask("PATCH", f"{UNITS}/{unit}", {"name": name})
        _, parent = self.units[unit]
        if self.taken(name, parent, unit):
            assert answer.status_code == 409
        else:
            assert answer.status_code == 200
            self.units[unit] = (name, parent)

    @precondition(lambda self: self.units)
    @rule(data=st.data())
    def move(self, data: st.DataObject) -> None:
        unit, parent = self.any(data, root=False), self.any(data)
        name, _ = self.units[unit]
        answer = self.server.ask("PATCH", f"{UNITS}/{unit}", {"parentOrgUnitId": parent})
        if parent in self.below(unit):
            assert answer.status_code == 400
        elif self.taken(name, parent, unit):
            assert answer.status_code == 409
        else:
            assert answer.status_code == 200
            self.units[unit] = (name, parent)

    @precondition(lambda self: self.units)
    @rule(data=st.data())
    def delete(self, data: st.DataObject) -> None:
        unit = self.any(data, root=False)
        answer = self.server.ask("DELETE", f"{UNITS}/{unit}")
        if len(self.below(unit)) > 1:
            assert answer.status_code == 412
        else:
            assert answer.status_code in {200, 204}
            del self.units[unit]
            assert self.server.ask("GET", f"{UNITS}/{unit}").status_code == 404

    @invariant()
    def list_agrees(self) -> None:
        found = self.server.ask("GET", f"{UNITS}?type=all").json().get("organizationUnits", [])
        assert {each["orgUnitId"]: each["orgUnitPath"] for each in found} == {
            unit: self.path(unit) for unit in self.units
        }

    @precondition(lambda self: self.units)
    @rule(data=st.data())
    def get_agrees(self, data: st.DataObject) -> None:
        unit = self.any(data, root=False)
        by_id = self.server.ask("GET", f"{UNITS}/{unit}")
        path = self.path(unit)
        assert self.server.ask("GET", f"{UNITS}{path}").content == by_id.content
        assert by_id.json()["orgUnitPath"] == path
        below = self.server.ask("GET", f"{UNITS}?orgUnitPath={path}&type=children").json()
        children = {each for each, (_, parent) in self.units.items() if parent == unit}
        assert {each["orgUnitId"] for each in below.get("organizationUnits", [])} == children


EMAILS = st.sampled_from([f"{name}@example.com" for name in ("ada", "bo", "cy")])
TEAMS = st.sampled_from([f"{name}@example.com" for name in ("sre", "all")])


class People(RuleBasedStateMachine):
    """Users and groups by address, and who is a member of what."""

    def __init__(self) -> None:
        super().__init__()
        self.server = Server()
        self.users: dict[str, str] = {}
        self.groups: dict[str, str] = {}
        self.members: dict[str, dict[str, str]] = {}

    @override
    def teardown(self) -> None:
        self.server.close()

    @rule(email=EMAILS, family=NAMES)
    def insert_user(self, email: str, family: str) -> None:
        body = {
            "primaryEmail": email,
            "name": {"givenName": "X", "familyName": family},
            "password": "long-enough-1",
        }
        answer = self.server.ask("POST", f"{DIRECTORY}/users", body)
        assert answer.status_code == (409 if email in self.users else 200)
        if email not in self.users:
            assert "password" not in answer.json()
            self.users[email] = family

    @rule(email=EMAILS, family=NAMES)
    def rename_user(self, email: str, family: str) -> None:
        body = {"name": {"familyName": family}}
        answer = self.server.ask("PATCH", f"{DIRECTORY}/users/{email}", body)
        assert answer.status_code == (200 if email in self.users else 404)
        if email in self.users:
            assert answer.json()["name"]["fullName"] == f"X {family}"
            self.users[email] = family

    @rule(email=EMAILS)
    def delete_user(self, email: str) -> None:
        answer = self.server.ask("DELETE", f"{DIRECTORY}/users/{email}")
        assert answer.status_code in ({200, 204} if email in self.users else {404})
        self.users.pop(email, None)
        for members in self.members.values():
            members.pop(email, None)

    @rule(email=TEAMS)
    def insert_group(self, email: str) -> None:
        answer = self.server.ask("POST", f"{DIRECTORY}/groups", {"email": email, "name": email})
        assert answer.status_code == (409 if email in self.groups else 200)
        if email not in self.groups:
            self.groups[email], self.members[email] = email, {}

    @rule(email=TEAMS, name=NAMES)
    def rename_group(self, email: str, name: str) -> None:
        answer = self.server.ask("PATCH", f"{DIRECTORY}/groups/{email}", {"name": name})
        assert answer.status_code == (200 if email in self.groups else 404)
        if email in self.groups:
            self.groups[email] = name

    @rule(email=TEAMS)
    def delete_group(self, email: str) -> None:
        answer = self.server.ask("DELETE", f"{DIRECTORY}/groups/{email}")
        assert answer.status_code in ({200, 204} if email in self.groups else {404})
        self.groups.pop(email, None)
        self.members.pop(email, None)

    @rule(group=TEAMS, email=EMAILS, role=st.sampled_from(["MEMBER", "OWNER"]))
    def insert_member(self, group: str, email: str, role: str) -> None:
        body = {"email": email, "role": role}
        answer = self.server.ask("POST", f"{DIRECTORY}/groups/{group}/members", body)
        if group not in self.groups or email not in self.users:
            assert answer.status_code == 404
        elif email in self.members[group]:
            assert answer.status_code == 409
        else:
            assert answer.status_code == 200
            self.members[group][email] = role

    @rule(group=TEAMS, email=EMAILS)
    def delete_member(self, group: str, email: str) -> None:
        answer = self.server.ask("DELETE", f"{DIRECTORY}/groups/{group}/members/{email}")
        there = email in self.members.get(group, {})
        assert answer.status_code in ({200, 204} if there else {404, 400})
        if there:
            del self.members[group][email]

    @invariant()
    def lists_agree(self) -> None:
        users = self.server.pages(f"{DIRECTORY}/users?customer=my_customer", "users")
        assert {each["primaryEmail"]: each["name"]["familyName"] for each in users} == self.users
        assert len(users) == len(self.users)
        groups = self.server.pages(f"{DIRECTORY}/groups?customer=my_customer", "groups")
        assert {each["email"]: each["name"] for each in groups} == self.groups
        for group in groups:
            members = self.members[group["email"]]
            assert group["directMembersCount"] == str(len(members))
            found = self.server.pages(f"{DIRECTORY}/groups/{group['id']}/members", "members")
            assert {each["email"]: each["role"] for each in found} == members

    @rule(email=EMAILS)
    def a_user_s_groups_agree(self, email: str) -> None:
        answer = self.server.ask("GET", f"{DIRECTORY}/groups?userKey={email}")
        if email in self.users:
            found = {each["email"] for each in answer.json().get("groups", [])}
            assert found == {group for group, each in self.members.items() if email in each}


TestOrgUnits = OrgUnits.TestCase
TestPeople = People.TestCase
TestOrgUnits.settings = TestPeople.settings = FEW
