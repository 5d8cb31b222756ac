"""The shapes of well-known REST APIs: scopes in paths, forms, pages by keys, envelopes."""

from pathlib import Path
from typing import Any

import pytest

from mockserver.declared.declaration import TimeFormat
from mockserver.declared.files import parsed_declaration
from mockserver.declared.shapes import stored_time, written_time
from tests.mockserver.declared.worlds import Declared, declared, write_suite

ISSUES: dict[str, Any] = {
    "key": "number",
    "path": "/repos/{owner}/{repo}/issues",
    "ids": "int",
    "hidden_fields": ["owner", "repo"],
    "defaults": {"state": "open"},
    "filters": {"state": {"field": "state", "default": "open", "all": "all"}},
    "newest_first": True,
    "sort": {"param": "sort", "order": "direction", "names": {"title": "heading"}},
    "paging": {"style": "page", "size": "per_page", "default": 2, "next": "link_header"},
    "answer_fields": {"url": "{{ url }}", "locked": False, "text": "#{{ row.number }}"},
}
COMMENTS: dict[str, Any] = {
    "path": "/comments",
    "parent": {"collection": "issues", "field": "issue"},
    "ids": "int",
    "scope": {"repo": "repo_name"},
}
HUB = {"api": "hub", "collections": {"issues": ISSUES, "comments": COMMENTS}}

CUSTOMERS: dict[str, Any] = {
    "path": "/v1/customers",
    "ids": "cus_{{ seq }}",
    "patch_verb": "POST",
    "operations": ["list", "get", "create", "patch", "delete"],
    "form_empty": "removed",
    "readonly_fields": ["expand"],
    "created": "created",
    "time_format": "unix",
    "defaults": {"object": "customer"},
    "answer_fields": {"name": None, "livemode": False},
    "create_status": 200,
    "delete_answer": {"id": "{{ row.id }}", "object": "customer", "deleted": True},
    "newest_first": True,
    "list_in": "data",
    "list_fields": {"object": "list", "url": "{{ path }}"},
    "filters": {"email": "email", "created[gte]": {"field": "created", "op": ">="}},
    "paging": {"style": "key", "before": "ending_before", "size": "limit", "has_more": "has_more"},
    "schema": {
        "properties": {
            "balance": {"type": "integer"},
            "metadata": {"anyOf": [{"additionalProperties": {"type": "string"}}, {"enum": [""]}]},
            "shipping": {"$ref": "#/$defs/shipping"},
        },
        "$defs": {"shipping": {"properties": {"express": {"type": "boolean"}}}},
    },
}
PAY = {"api": "pay", "collections": {"customers": CUSTOMERS}}

PODS: dict[str, Any] = {
    "key": "metadata.name",
    "path": "/api/v1/namespaces/{namespace}/pods",
    "scope": {"namespace": "metadata.namespace"},
    "created": "metadata.creationTimestamp",
    "defaults": {"kind": "Pod", "metadata.uid": "{{ uuid() }}"},
    "readonly_fields": ["metadata.uid"],
    "list_in": "items",
    "list_fields": {"kind": "PodList", "metadata": {"resourceVersion": "{{ total }}"}},
    "paging": {"style": "cursor", "param": "continue", "size": "limit",
               "next": "metadata.continue"},
}  # fmt: skip
LOGS: dict[str, Any] = {"key": "metadata.name", "parent": {"collection": "pods", "field": "on.pod"},
                        "hidden_fields": ["on.pod"]}  # fmt: skip
CLUSTER = {"api": "cluster", "collections": {"pods": PODS, "logs": LOGS}}

MESSAGES: dict[str, Any] = {
    "key": "sid",
    "path": "/2010-04-01/Accounts/{AccountSid}/Messages",
    "suffix": ".json",
    "scope": {"AccountSid": "account_sid"},
    "ids": "SM{{ hex(32) }}",
    "body_names": "snake_case",
    "created": "date_created",
    "time_format": "rfc2822",
    "patch_verb": "POST",
    "operations": ["list", "get", "create", "patch", "delete"],
    "list_in": "messages",
    "filters": {"To": "to"},
    "paging": {"style": "page", "param": "Page", "size": "PageSize", "next_url": "next_page_uri",
               "urls": "path"},
}  # fmt: skip
PHONES = {"api": "phones", "collections": {"Messages": MESSAGES}}


async def of(api: Declared, verb: str, path: str, **how: Any) -> Any:
    answer = await api.ask(verb, path, **how)
    assert answer.is_success, answer.text
    return answer.json() if answer.content else None


async def test_a_path_with_placeholders_is_a_collection_for_each_of_their_values(
    tmp_path: Path,
) -> None:
    async with declared(write_suite(tmp_path, HUB)) as hub:
        first = await of(hub, "POST", "/repos/ada/engine/issues", json={"title": "a"})
        again = await hub.ask("GET", first["url"])
        assert again.json() == first
        assert first["url"] == f"{hub.client.base_url}repos/ada/engine/issues/1"
        assert (first["locked"], first["text"], "owner" in first) == (False, "#1", False)
        assert await of(hub, "GET", "/repos/ada/other/issues") == []
        assert (await hub.ask("GET", "/repos/bob/engine/issues/1")).status_code == 404
        inner = "/repos/ada/engine/issues/1/comments"
        assert (await of(hub, "POST", inner, json={"body": "c"}))["issue"] == 1
        assert (await hub.ask("POST", inner.replace("/1/", "/2/"), json={})).status_code == 404
        rows = hub.session.world.diff()
        assert list(rows["hub.comments"]["added"]) == ["ada/engine/1/1"]
        changed = await of(hub, "PATCH", first["url"], json={"state": "closed", "owner": "bob"})
        assert changed["state"] == "closed"
        await of(hub, "DELETE", first["url"])
        assert hub.session.world.diff() == {}


async def test_a_list_begins_with_the_latest_and_has_a_usual_filter(tmp_path: Path) -> None:
    rows = [{"number": n, "owner": "ada", "repo": "engine", "state": "open", "heading": str(n % 3)}
            for n in range(1, 6)]  # fmt: skip
    rows[2]["state"] = "closed"
    async with declared(write_suite(tmp_path, HUB, {"issues": rows})) as hub:

        async def numbers(**query: str) -> list[int]:
            query.setdefault("per_page", "9")
            found = await of(hub, "GET", "/repos/ada/engine/issues", params=query)
            return [each["number"] for each in found]

        assert await numbers() == [5, 4, 2, 1]
        assert await numbers(state="all") == [5, 4, 3, 2, 1]
        assert await numbers(state="closed") == [3]
        assert await numbers(direction="asc") == [1, 2, 4, 5]
        assert await numbers(sort="title", direction="asc") == [1, 4, 2, 5]
        assert await numbers(sort="title") == [2, 5, 1, 4]
        page = await hub.ask("GET", "/repos/ada/engine/issues")
        assert [each["number"] for each in page.json()] == [5, 4]
        assert "repos/ada/engine/issues?page=2" in page.headers["link"]


async def test_post_on_a_row_changes_it_by_a_form(tmp_path: Path) -> None:
    async with declared(write_suite(tmp_path, PAY)) as pay:
        sent = {
            "email": "a@x.org", "balance": "-5", "metadata[order]": "6", "metadata[tag]": "x",
            "shipping[express]": "true", "items[0][price]": "p0", "items[1][price]": "p1",
            "expand[]": "subscriptions",
        }  # fmt: skip
        made = await of(pay, "POST", "/v1/customers", data=sent)
        assert made == {
            "id": "cus_1", "object": "customer", "email": "a@x.org", "balance": -5,
            "metadata": {"order": "6", "tag": "x"}, "shipping": {"express": True}, "name": None,
            "items": [{"price": "p0"}, {"price": "p1"}], "livemode": False, "created": 1795338000,
        }  # fmt: skip
        change = {"metadata[order]": "", "metadata[size]": "L", "email": "", "name": "Ada"}
        changed = await of(pay, "POST", "/v1/customers/cus_1", data=change)
        assert changed["metadata"] == {"tag": "x", "size": "L"}
        assert ("email" in changed, changed["name"]) == (False, "Ada")
        (row,) = pay.session.world.diff()["pay.customers"]["added"].values()
        assert row["created"] == "2026-11-22T09:00:00.000Z"
        gone = await of(pay, "DELETE", "/v1/customers/cus_1")
        assert gone == {"id": "cus_1", "object": "customer", "deleted": True}
        assert [entry["method_id"] for entry in pay.journal] == [
            "pay.customers.create", "pay.customers.patch", "pay.customers.delete"
        ]  # fmt: skip


async def test_pages_go_on_behind_and_before_the_row_with_a_key(tmp_path: Path) -> None:
    rows = [{"id": f"cus_{n}", "created": f"2026-01-0{n}T00:00:00Z"} for n in range(1, 6)]
    async with declared(write_suite(tmp_path, PAY, {"customers": rows})) as pay:

        async def page(**query: str) -> tuple[list[str], bool]:
            found = await of(pay, "GET", "/v1/customers", params={"limit": "2", **query})
            assert (found["object"], found["url"]) == ("list", "/v1/customers")
            return [each["id"][4:] for each in found["data"]], found["has_more"]

        assert await page() == (["5", "4"], True)
        assert await page(starting_after="cus_4") == (["3", "2"], True)
        assert await page(starting_after="cus_2") == (["1"], False)
        assert await page(ending_before="cus_2") == (["4", "3"], True)
        assert await page(ending_before="cus_4") == (["5"], False)
        assert await page(**{"created[gte]": "1767657600"}) == (["5", "4"], False)
        refused = await pay.ask("GET", "/v1/customers", params={"starting_after": "cus_9"})
        assert refused.status_code == 400
        assert "no row of this list has the key 'cus_9'" in refused.text


async def test_keys_and_places_are_inside_of_other_fields(tmp_path: Path) -> None:
    seeds = {"pods": {"base": {"metadata": {"namespace": "prod"}}}}
    async with declared(write_suite(tmp_path, CLUSTER, seeds)) as cluster:
        pods = "/api/v1/namespaces/default/pods"
        body = {"metadata": {"name": "web", "labels": {"app": "x"}, "uid": "mine"}, "spec": {}}
        made = await of(cluster, "POST", pods, json=body)
        assert made["metadata"] == {
            "name": "web", "labels": {"app": "x"}, "uid": made["metadata"]["uid"],
            "namespace": "default", "creationTimestamp": "2026-11-22T09:00:00.000Z",
        }  # fmt: skip
        assert made["metadata"]["uid"] != "mine"
        assert (await cluster.ask("POST", pods, json=body)).status_code == 409
        nameless = await cluster.ask("POST", pods, json={"spec": {}})
        assert "The field metadata.name is missing" in nameless.text
        change = {"metadata": {"labels": {"app": "y"}, "uid": "mine"}}
        changed = await of(cluster, "PATCH", f"{pods}/web", json=change)
        assert changed["metadata"] == {**made["metadata"], "labels": {"app": "y"}}
        put = await of(cluster, "PUT", f"{pods}/web", json={"spec": {"n": 1}})
        assert (put["spec"], put["metadata"]["name"]) == ({"n": 1}, "web")
        other = {"metadata": {"name": "other"}}
        assert (await cluster.ask("PUT", f"{pods}/web", json=other)).status_code == 422
        log = await of(cluster, "POST", f"{pods}/web/logs", json={"metadata": {"name": "l"}})
        assert log["metadata"]["namespace"] == "default"
        assert log["on"] == {}
        listed = await of(cluster, "GET", pods, params={"limit": "1"})
        assert (listed["kind"], listed["metadata"]) == ("PodList", {"resourceVersion": 1})
        prod = await of(cluster, "GET", "/api/v1/namespaces/prod/pods/base")
        assert prod["metadata"]["name"] == "base"


async def test_paths_end_in_a_suffix_and_names_are_put_into_snake_case(tmp_path: Path) -> None:
    async with declared(write_suite(tmp_path, PHONES)) as phones:
        messages = "/2010-04-01/Accounts/AC1/Messages.json"
        sent = {"To": "+1", "Body": "hi", "StatusCallback": "http://x"}
        answer = await phones.ask("POST", messages, data=sent)
        made = answer.json()
        assert made == {
            "sid": made["sid"], "to": "+1", "body": "hi", "status_callback": "http://x",
            "account_sid": "AC1", "date_created": "Sun, 22 Nov 2026 09:00:00 +0000",
        }  # fmt: skip
        assert answer.headers["location"].endswith(f"/Accounts/AC1/Messages/{made['sid']}.json")
        row = messages.replace(".json", f"/{made['sid']}.json")
        assert (await of(phones, "POST", row, data={"Body": ""}))["body"] == ""
        assert len((await of(phones, "GET", messages, params={"To": "+1"}))["messages"]) == 1
        await of(phones, "POST", messages, data={"To": "+2"})
        page = await of(phones, "GET", messages, params={"PageSize": "1"})
        assert page["next_page_uri"] == f"{messages}?PageSize=1&Page=2"
        second = await of(phones, "GET", page["next_page_uri"])
        assert [each["to"] for each in second["messages"]] == ["+2"]
        await of(
            phones, "DELETE", messages.replace(".json", f"/{second['messages'][0]['sid']}.json")
        )
        assert (await phones.ask("GET", row.removesuffix(".json"))).status_code == 404
        await of(phones, "DELETE", row)
        assert phones.session.world.diff() == {}


@pytest.mark.parametrize(
    ("form", "written"),
    [
        ("rfc3339", "2026-01-01T00:00:00.500Z"),
        ("unix", 1767225600),
        ("unix_ms", 1767225600500),
        ("rfc2822", "Thu, 01 Jan 2026 00:00:00 +0000"),
    ],
)
def test_times_are_written_as_the_api_writes_them(form: TimeFormat, written: Any) -> None:
    moment = "2026-01-01T00:00:00.500Z"
    assert written_time(moment, form) == written
    assert written_time("never", form) == "never"
    if form == "unix_ms":
        assert stored_time(str(written), form) == moment
    else:
        assert stored_time(moment, form) == moment


@pytest.mark.parametrize(
    ("collection", "place", "message"),
    [
        ({"scope": {"owner": "o"}}, "/scope/owner", "no path around it has the placeholder"),
        ({"path": "/{id}/x"}, "/path", "'id'"),
        ({"path": "/{a}/{a}"}, "/path", "stands in it twice"),
        ({"path": "/{a}/{b}", "scope": {"a": "x", "b": "x"}}, "/path", "held in one field, 'x'"),
        ({"list_fields": {"a": 1}}, "/list_fields", "bare arrays"),
        ({"paging": {"style": "page", "before": "b"}}, "/paging/before", "style to key"),
        ({"suffix": "json"}, "/suffix", "pattern"),
        ({"time_format": "iso"}, "/time_format", "rfc3339"),
    ],
)
def test_what_does_not_hold_together_is_told(
    tmp_path: Path, collection: dict[str, Any], place: str, message: str
) -> None:
    from mockserver.declared.checks import findings

    raw = {"api": "shop", "collections": {"things": collection}}
    file, problems = parsed_declaration(raw, tmp_path / "x.yaml")
    told = [str(each) for each in problems]
    if file is not None:
        for _, found in findings([file.declaration], taken=(), trusted=False):
            told += [f"/{'/'.join(map(str, each.place))}: {each.message} {each.hint}"
                     for each in found]  # fmt: skip
    assert any(f"things{place}" in each and message in each for each in told), told
