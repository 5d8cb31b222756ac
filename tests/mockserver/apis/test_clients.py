"""Unchanged Google clients against a server of its own process, with only the endpoint changed."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack
from typing import Any

import httpx
import pytest
import pytest_asyncio
from google.oauth2.credentials import Credentials
from googleapiclient.discovery import build, build_from_document
from googleapiclient.errors import HttpError

from mockserver.apis.chromemanagement import SUPPLEMENT
from mockserver.client import MockServer
from mockserver.model import JsonObject, SessionInfo, SessionSpec
from tests.mockserver.apis.tools.conftest import CONNECTOR, RAW
from tests.tenants import ENG, SALES

MINE = "customers/my_customer"
IN_FORUMS = "'cloudidentity.googleapis.com/groups.discussion_forum' in labels"
Service = Callable[[str, str], Any]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def server() -> AsyncIterator[MockServer]:
    async with await MockServer.start(None) as server:
        yield server


@pytest_asyncio.fixture(loop_scope="module")
async def session(server: MockServer) -> SessionInfo:
    return await server.open(SessionSpec(overrides=(RAW,)))


@pytest.fixture
def service(session: SessionInfo) -> Iterator[Service]:
    with ExitStack() as open_services:

        def make(name: str, version: str) -> Any:
            options = {"api_endpoint": f"{session.base_url}/{name}.googleapis.com/"}
            credentials = Credentials(session.token)  # type: ignore[no-untyped-call]
            if version == SUPPLEMENT["version"]:
                document = {**SUPPLEMENT, "auth": {}}
                made = build_from_document(
                    document, credentials=credentials, client_options=options
                )
            else:
                made = build(name, version, credentials=credentials, client_options=options)
            return open_services.enter_context(made)

        yield make


async def execute(request: Any) -> JsonObject:
    answer: JsonObject = await asyncio.to_thread(request.execute)
    return answer


async def use(session: SessionInfo, tool: str, **arguments: object) -> httpx.Response:
    headers = {"Authorization": f"Bearer {session.token}"}
    async with httpx.AsyncClient(headers=headers) as client:
        return await client.post(f"{session.env['TOOLS_BASE_URL']}/{tool}", json=arguments)


@pytest.mark.slow
async def test_a_policy_that_is_modified_is_resolved_below(service: Service) -> None:
    policies = service("chromepolicy", "v1").customers().policies()
    target = {"targetResource": f"orgunits/{ENG}"}
    value = {"policySchema": "chrome.users.Incognito", "value": {"mode": "BLOCKED"}}
    change = {"policyTargetKey": target, "policyValue": value, "updateMask": "mode"}
    done = await execute(
        policies.orgunits().batchModify(customer=MINE, body={"requests": [change]})
    )
    body = {"policyTargetKey": target, "policySchemaFilter": "chrome.users.Incognito"}
    found = await execute(policies.resolve(customer=MINE, body=body))
    assert done == {}
    assert found["resolvedPolicies"] == [
        {"targetKey": target, "sourceKey": target, "value": value},
    ]


async def test_a_comma_list_of_schemas_is_refused_as_the_client_reads_it(service: Service) -> None:
    policies = service("chromepolicy", "v1").customers().policies()
    body = {
        "policyTargetKey": {"targetResource": f"orgunits/{ENG}"},
        "policySchemaFilter": f"chrome.users.Incognito,{CONNECTOR}",
    }
    with pytest.raises(HttpError) as caught:
        await execute(policies.resolve(customer=MINE, body=body))
    assert caught.value.status_code == 400
    assert caught.value.error_details[0]["fieldViolations"][0]["field"] == "policy_schema_filter"


async def test_a_public_schema_that_no_snapshot_describes_can_be_asked_and_set(
    service: Service,
) -> None:
    """Connectors as Google's own clients write them, in a tenant that has never heard of them."""
    policies = service("chromepolicy", "v1").customers().policies()
    schema = "chrome.users.OnPrintAnalysisConnectorPolicy"
    target = {"targetResource": f"orgunits/{ENG}"}
    body = {"policyTargetKey": target, "policySchemaFilter": schema}
    assert await execute(policies.resolve(customer=MINE, body=body)) == {}
    provider = {"serviceProvider": "SERVICE_PROVIDER_CHROME_ENTERPRISE_PREMIUM"}
    value = {
        "policySchema": schema,
        "value": {"onPrintAnalysisConnectorConfiguration": {"printConfigurations": [provider]}},
    }
    change = {
        "policyTargetKey": target,
        "policyValue": value,
        "updateMask": "onPrintAnalysisConnectorConfiguration",
    }
    asked = {"requests": [change]}
    await execute(policies.orgunits().batchModify(customer=MINE, body=asked))
    (found,) = (await execute(policies.resolve(customer=MINE, body=body)))["resolvedPolicies"]
    assert found["value"] == value


async def test_a_rule_for_an_org_unit_with_the_prefix_of_the_directory_is_made(
    service: Service,
) -> None:
    policies = service("cloudidentity", "v1beta1").policies()
    clause = f"org_unit.org_unit_id == orgUnitId('id:{ENG}')"
    query = {
        "query": f"entity.org_units.exists(org_unit, {clause})",
        "orgUnit": f"orgUnits/id:{ENG}",
    }
    setting = {"type": "settings/rule.dlp", "value": {"displayName": "prefixed"}}
    body = {"customer": MINE, "policyQuery": query, "setting": setting}
    made = (await execute(policies.create(body=body)))["response"]
    assert made["policyQuery"]["orgUnit"] == f"orgUnits/{ENG}"
    again = {"policyQuery": {"orgUnit": f"orgUnits/id:{ENG}"}, "setting": setting}
    patched = await execute(policies.patch(name=made["name"], body=again))
    assert patched["done"] is True


@pytest.mark.parametrize("version", ["v1", "v1beta1"])
async def test_dlp_policies_are_listed_by_cel(service: Service, version: str) -> None:
    policies = service("cloudidentity", version).policies()
    text = "customer == 'customers/my_customer' && setting.type.matches('rule.dlp')"
    found = await execute(policies.list(filter=text))
    assert [policy["name"] for policy in found["policies"]] == ["policies/akcards"]
    with pytest.raises(HttpError, match="Filter is invalid"):
        await execute(policies.list(filter=text.replace("&&", "AND")))


async def test_a_rule_made_by_a_tool_is_seen_by_the_api_and_the_other_way_round(
    service: Service, session: SessionInfo
) -> None:
    policies = service("cloudidentity", "v1beta1").policies()
    made = await use(session, "createDLPRule", displayName="x", triggers=["PRINT"], action="WARN")
    name = made.json()["result"]["rule"]["name"]
    assert (await execute(policies.get(name=name)))["setting"]["value"]["displayName"] == "x"
    assert (await execute(policies.delete(name=name)))["done"] is True
    rules = (await use(session, "listDLPRules")).json()["result"]["rules"]
    assert name not in [rule["name"] for rule in rules]


async def test_tokens_and_browsers_are_the_same_in_the_older_api(service: Service) -> None:
    management = service("chromemanagement", "v1").customers()
    older = service("admin", "directory_v1.1beta1")
    made = await execute(
        management.enrollmentTokens().create(parent=MINE, body={"orgUnitId": SALES})
    )
    listed = await execute(older.enrollmentTokens().list(customer="my_customer"))
    assert [item["tokenId"] for item in listed["chromeEnrollmentTokens"]] == [made["token"]]
    with pytest.raises(HttpError) as caught:
        await execute(older.chromebrowsers().get(customer="my_customer", deviceId="nope"))
    assert caught.value.error_details[0]["reason"] == "notFound"


async def test_a_tool_answers_in_the_envelope_of_the_api_behind_it(session: SessionInfo) -> None:
    answer = await use(session, "getChromeConnectorConfiguration", orgUnit="/Nope")
    assert answer.status_code == 404
    assert answer.json()["error"]["errors"][0]["reason"] == "notFound"


async def test_groups_of_the_directory_are_those_of_cloud_identity(service: Service) -> None:
    directory, groups = service("admin", "directory_v1"), service("cloudidentity", "v1").groups()
    insert = directory.groups().insert(body={"email": "new@example.com", "name": "New"})
    made = await execute(insert)
    (first,) = [
        row
        for row in (await execute(groups.list(parent=MINE)))["groups"]
        if row["groupKey"]["id"] == "new@example.com"
    ]
    assert (first["name"], first["displayName"]) == (f"groups/{made['id']}", "New")
    found = await execute(groups.lookup(groupKey_id="new@example.com"))
    assert found == {"name": first["name"]}
    text = f"parent == '{MINE}' && {IN_FORUMS} && display_name.startsWith('Ne')"
    searched = await execute(groups.search(query=text))
    assert [row["name"] for row in searched["groups"]] == [first["name"]]
    with pytest.raises(HttpError, match="404"):
        await execute(groups.lookup(groupKey_id="none@example.com"))


async def test_a_group_made_in_cloud_identity_is_in_the_directory(service: Service) -> None:
    directory, groups = service("admin", "directory_v1"), service("cloudidentity", "v1").groups()
    labels = {"cloudidentity.googleapis.com/groups.discussion_forum": ""}
    body = {"groupKey": {"id": "made@example.com"}, "parent": MINE, "labels": labels}
    name = (await execute(groups.create(body={**body, "displayName": "Made"})))["response"]["name"]
    address = "zoe@example.com"
    person = {"name": {"givenName": "Zoe", "familyName": "Lange"}, "password": "a long one"}
    await execute(directory.users().insert(body={"primaryEmail": address, **person}))
    key = {"preferredMemberKey": {"id": address}, "roles": [{"name": "MEMBER"}, {"name": "OWNER"}]}
    members = groups.memberships()
    joined = (await execute(members.create(parent=name, body=key)))["response"]
    listed = await execute(directory.members().list(groupKey="made@example.com"))
    assert [(each["email"], each["role"]) for each in listed["members"]] == [(address, "OWNER")]
    assert (await execute(members.get(name=joined["name"])))["preferredMemberKey"]["id"] == address
    asked = {"parent": name, "query": f"member_key_id == '{address}'"}
    assert await execute(members.checkTransitiveMembership(**asked)) == {"hasMembership": True}
    query = f"{asked['query']} && {IN_FORUMS}"
    above = await execute(members.searchTransitiveGroups(parent="groups/-", query=query))
    assert name in [row["group"] for row in above["memberships"]]
    roles = {"removeRoles": ["OWNER"]}
    changed = await execute(members.modifyMembershipRoles(name=joined["name"], body=roles))
    assert changed["membership"]["roles"] == [{"name": "MEMBER"}]
    patch = groups.patch(name=name, updateMask="displayName", body={"displayName": "Renamed"})
    assert (await execute(patch))["done"] is True
    assert (await execute(directory.groups().get(groupKey="made@example.com")))["name"] == "Renamed"
    assert (await execute(members.delete(name=joined["name"])))["done"] is True
    assert (await execute(groups.delete(name=name)))["done"] is True
    with pytest.raises(HttpError, match="404"):
        await execute(directory.groups().get(groupKey="made@example.com"))
