"""What a declared API can do beside rows: who may ask, how often, again, later, and in parts."""

import base64
import json
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from mockserver.errors import InvalidFilesError
from mockserver.snapshots.lint import lint_suite
from tests.mockserver.declared.worlds import Declared, declared, write_suite


def suite_of(folder: Path, collection: dict[str, Any] | None = None, **api: Any) -> Path:
    rows = [{"id": "a", "n": 1}, {"id": "b", "n": 2}]
    things: dict[str, Any] = {"things": collection or {}, **api.pop("collections", {})}
    return write_suite(folder, {"api": "shop", "collections": things, **api}, {"things": rows})


async def statuses(shop: Declared, *asked: tuple[str, str, dict[str, Any]]) -> list[int]:
    return [(await shop.ask(verb, path, **how)).status_code for verb, path, how in asked]


@pytest.mark.parametrize(
    ("auth", "good", "bad"),
    [
        ({"header": "X-Key"}, {"headers": {"X-Key": "k"}}, {"headers": {"X-Key": "x"}}),
        ({"bearer": True}, {"headers": {"Authorization": "Bearer k"}},
         {"headers": {"Authorization": "Basic k"}}),
        ({"query": "key"}, {"params": {"key": "k"}}, {"params": {"kee": "k"}}),
        ({"basic": True, "values": ["u:p"]},
         {"headers": {"Authorization": "Basic " + base64.b64encode(b"u:p").decode()}},
         {"headers": {"Authorization": "Basic !"}}),
    ],
)  # fmt: skip
async def test_a_missing_or_wrong_key_is_refused(
    tmp_path: Path, auth: dict[str, Any], good: dict[str, Any], bad: dict[str, Any]
) -> None:
    auth = {"values": ["k"], "public": ["things.get"], "env": "SHOP_KEY", **auth}
    async with declared(suite_of(tmp_path, auth=auth)) as shop:
        found = await statuses(
            shop, ("GET", "/things", good), ("GET", "/things", bad), ("GET", "/things", {}),
            ("GET", "/things/a", {}),
        )  # fmt: skip
        refused = await shop.ask("GET", "/things")
        api = shop.application.dispatcher.routes.declared.apis[0]
        block = api.environment("http://127.0.0.1:1/s/s1", shop.session.token)
    assert found == [200, 401, 401, 200]
    assert refused.json() == {"error": {"code": 401, "message": "The API key is missing."}}
    assert block == {"SHOP_KEY": auth["values"][0]}
    assert "k" not in [entry["params"].get("key") for entry in shop.journal]


async def test_the_session_s_own_credential_is_a_good_key(tmp_path: Path) -> None:
    suite = suite_of(
        tmp_path, auth={"bearer": True, "env": "K", "values": ["other"]},
        env={"SHOP_URL": "{{ url }}"}, hosts=["shop.example.com"], base_path="/v2",
    )  # fmt: skip
    async with declared(suite, url="/v2") as shop:
        own = {"Authorization": f"Bearer {shop.session.token}"}
        assert (await shop.ask("GET", "/things", headers=own)).status_code == 200
        wrong = await shop.ask("GET", "/things", headers={"Authorization": "Bearer x"})
        assert wrong.headers["www-authenticate"] == 'Bearer realm="shop"'
        api = shop.application.dispatcher.routes.declared.apis[0]
        block = api.environment("http://h/s/s1", shop.session.token)
    assert block == {
        "K": "other", "SHOP_URL": "http://h/s/s1/shop.example.com/v2",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("auth", "lint", "reason"),
    [
        ({"header": "X-Key"}, "warning", "The API key is missing. Any key would do."),
        ({"header": "X-Key", "env": "K"}, "hint",
         "The API key is missing. Any key would do. The session's environment has one as K."),
        ({"header": "X-Key", "values": ["k"], "env": "K"}, "", "The API key is missing. Good keys "
         "stand in api.yaml (auth.values). The session's environment has one as K."),
    ],
)  # fmt: skip
async def test_without_values_any_key_is_good_and_lint_says_so(
    tmp_path: Path, auth: dict[str, Any], lint: str, reason: str
) -> None:
    suite = suite_of(tmp_path, auth=auth)
    async with declared(suite) as shop:
        keys = ({"headers": {"X-Key": key}} for key in ("anything", "", "k"))
        found = await statuses(shop, *(("GET", "/things", each) for each in keys))
        assert found == [401 if "values" in auth else 200, 401, 200]
        answer = await shop.ask("GET", "/things")
        assert answer.json() == {"error": {"code": 401, "message": "The API key is missing."}}
        assert shop.journal[-1]["miss"]["reason"] == reason
    problems = {each.level: each for each in lint_suite(suite, hints=True).problems}
    assert set(problems) - {"error"} == ({lint} if lint else set())
    assert all(each.level != "hint" for each in lint_suite(suite).problems)
    if lint:
        assert "any key that is not empty is good" in problems[lint].message


async def test_a_request_too_many_is_refused_until_time_has_passed(tmp_path: Path) -> None:
    suite = suite_of(tmp_path, rate_limit={"requests": 2, "seconds": 60})
    async with declared(suite) as shop:
        first = await shop.ask("GET", "/things")
        assert first.headers["x-ratelimit-remaining"] == "1"
        assert (await shop.ask("GET", "/nothing")).status_code == 404
        assert (await shop.ask("GET", "/things")).status_code == 200
        refused = await shop.ask("GET", "/things")
        assert (refused.status_code, refused.headers["retry-after"]) == (429, "60")
        assert refused.headers["x-ratelimit-remaining"] == "0"
        shop.session.advance(61)
        assert (await shop.ask("GET", "/things")).status_code == 200
        assert shop.session.world.diff() == {}


async def test_a_request_sent_again_is_not_done_again(tmp_path: Path) -> None:
    suite = suite_of(tmp_path, {"ids": "int"}, idempotency={"header": "Once", "required": True})
    async with declared(suite) as shop:
        key = {"headers": {"Once": "1"}}
        first = await shop.ask("POST", "/things", json={"n": 3}, **key)
        again = await shop.ask("POST", "/things", json={"n": 3}, **key)
        assert (again.status_code, again.json()) == (201, first.json())
        assert again.headers["idempotent-replayed"] == "true"
        assert len((await shop.ask("GET", "/things")).json()) == 3
        other = await shop.ask("POST", "/things", json={"n": 4}, **key)
        assert other.status_code == 422
        assert (await shop.ask("POST", "/things", json={})).status_code == 400


async def test_conditions_hold_by_entity_tags(tmp_path: Path) -> None:
    async with declared(suite_of(tmp_path)) as shop:
        tag = (await shop.ask("GET", "/things/a")).headers["etag"]
        same, other = {"headers": {"If-Match": tag}}, {"headers": {"If-Match": '"x"'}}
        found = await statuses(
            shop,
            ("GET", "/things/a", {"headers": {"If-None-Match": f'"x", W/{tag}'}}),
            ("GET", "/things/a", {"headers": {"If-None-Match": '"x"'}}),
            ("PATCH", "/things/a", {"json": {"n": 5}, **other}),
            ("PATCH", "/things/a", {"json": {"n": 5}, **same}),
            ("DELETE", "/things/a", same),
            ("HEAD", "/things/a", {}),
            ("OPTIONS", "/things", {}),
        )
        options = await shop.ask("OPTIONS", "/things/a")
    assert found == [304, 200, 412, 200, 412, 200, 204]
    assert options.headers["allow"] == "GET, PUT, PATCH, DELETE, OPTIONS"


DOUBLED = [{"op": "copy", "from": "", "path": f"/x{n}"} for n in range(40)]
NESTED = {"parts": {"parent": "things", "ids": "P{{ seq }}", "filters": {"kind": "kind"}}}


async def test_nested_rows_belong_to_the_row_around_them(tmp_path: Path) -> None:
    async with declared(suite_of(tmp_path, collections=NESTED)) as shop:
        made = await shop.ask("POST", "/things/a/parts", json={"kind": "k"})
        assert made.json() == {"id": "P1", "kind": "k", "thingId": "a"}
        await shop.ask("POST", "/things/b/parts", json={"kind": "k"})
        assert len((await shop.ask("GET", "/things/a/parts?kind=k")).json()) == 1
        found = await statuses(
            shop,
            ("GET", "/things/a/parts/P1", {}),
            ("GET", "/things/b/parts/P1", {}),
            ("GET", "/things/c/parts", {}),
            ("POST", "/things/c/parts", {"json": {}}),
            ("DELETE", "/things/a", {}),
        )
        assert found == [200, 404, 404, 404, 204]
        assert list(shop.session.state(("shop.parts",))["shop.parts"]) == ["b/P2"]


async def test_a_row_with_others_in_it_stays_where_deletion_does_not_cascade(
    tmp_path: Path,
) -> None:
    async with declared(suite_of(tmp_path, {"cascade": False}, collections=NESTED)) as shop:
        await shop.ask("POST", "/things/a/parts", json={})
        assert (await shop.ask("DELETE", "/things/a")).status_code == 409
        assert (await shop.ask("DELETE", "/things/b")).status_code == 204


@pytest.mark.slow
@pytest.mark.parametrize(
    ("on_delete", "status", "left"),
    [
        ("keep", 204, [{"id": "p", "thing": "a"}]),
        ("refuse", 409, [{"id": "p", "thing": "a"}]),
        ("cascade", 204, []),
        ("clear", 204, [{"id": "p"}]),
    ],
)
async def test_a_reference_says_what_becomes_of_a_row_whose_target_is_deleted(
    tmp_path: Path, on_delete: str, status: int, left: list[Any]
) -> None:
    parts = {"refs": {"thing": {"to": "things.id", "on_delete": on_delete}}}
    async with declared(suite_of(tmp_path, collections={"parts": parts})) as shop:
        await shop.ask("POST", "/parts", json={"id": "p", "thing": "a"})
        answer = await shop.ask("DELETE", "/things/a")
        assert answer.status_code == status
        if status == 409:
            text = "The things a is named by parts p as thing."
            assert answer.json() == {"error": {"code": 409, "message": text}}
        assert (await shop.ask("GET", "/parts")).json() == left


async def test_a_deletion_that_would_break_the_form_of_another_row_is_refused(
    tmp_path: Path,
) -> None:
    parts = {
        "refs": {"thing": {"to": "things.id", "on_delete": "clear"}},
        "schema": {"type": "object", "required": ["thing"]},
    }
    async with declared(suite_of(tmp_path, collections={"parts": parts})) as shop:
        await shop.ask("POST", "/parts", json={"id": "p", "thing": "a"})
        assert (await shop.ask("DELETE", "/things/a")).status_code == 409
        assert (await shop.ask("GET", "/things/a")).status_code == 200


async def test_a_page_token_of_another_list_is_refused(tmp_path: Path) -> None:
    paged = {"paging": "token", "list_in": "items"}
    others = {"parts": {"parent": "things", **paged}, "others": paged}
    async with declared(suite_of(tmp_path, paged, collections=others)) as shop:
        for thing in "ab":
            for part in "pq":
                await shop.ask("POST", f"/things/{thing}/parts", json={"id": part})
        for path, other in (("/things", "/others"), ("/things/a/parts", "/things/b/parts")):
            page = (await shop.ask("GET", f"{path}?pageSize=1")).json()
            query = f"?pageSize=1&pageToken={page['nextPageToken']}"
            assert (await shop.ask("GET", f"{path}{query}")).status_code == 200
            refused = await shop.ask("GET", f"{other}{query}")
            text = "pageToken is no token of this list."
            assert refused.json() == {"error": {"code": 400, "message": text}}


async def test_versions_count_changes_and_refuse_stale_ones(tmp_path: Path) -> None:
    versions = {"generation": "number", "meta.version": "text"}
    async with declared(suite_of(tmp_path, {"versions": versions, "upsert": True})) as shop:
        made = await shop.ask("PUT", "/things/c", json={"n": 9, "generation": 5})
        assert made.json() == {"id": "c", "n": 9, "generation": 1, "meta": {"version": "1"}}
        found = await statuses(
            shop,
            ("PUT", "/things/d", {"json": {"id": "e"}}),
            ("PATCH", "/things/c", {"json": {"n": 8}}),
            ("PATCH", "/things/c", {"json": {"n": 7, "generation": 2}}),
            ("PUT", "/things/c", {"json": {"n": 6, "meta": {"version": "3"}}}),
            ("PATCH", "/things/c", {"json": {"n": 5, "generation": 2}}),
        )
        assert found == [422, 200, 200, 200, 409]
        stale = await shop.ask("PATCH", "/things/c", json={"meta": {"version": "1"}})
        text = "The things has changed: its meta.version is 4."
        assert stale.json() == {"error": {"code": 409, "message": text}}
        assert (await shop.ask("GET", "/things/c")).json()["generation"] == 4
        # a row of the snapshot that has none yet
        fresh = await shop.ask("PATCH", "/things/a", json={"generation": 9})
        assert fresh.json()["generation"] == 1


async def test_many_rows_are_made_and_deleted_at_once_or_not_at_all(tmp_path: Path) -> None:
    collection = {"unique": ["n"], "bulk": {"delete": "ids"}}
    async with declared(suite_of(tmp_path, collection)) as shop:
        found = await statuses(
            shop,
            ("POST", "/things", {"json": [{"id": "c", "n": 3}, {"id": "d", "n": 1}]}),
            ("GET", "/things/c", {}),
            ("POST", "/things", {"json": [{"id": "c", "n": 3}, {"id": "d", "n": 4}]}),
            ("DELETE", "/things?ids=c,x", {}),
            ("DELETE", "/things?ids=c,d", {}),
            ("DELETE", "/things", {}),
        )
        assert found == [409, 404, 201, 404, 204, 400]
        assert shop.session.world.diff() == {}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("patch", "kind", "status"),
    [
        ({"n": None}, "application/merge-patch+json", 200),
        ({"id": "z"}, "application/json", 422),
        ([{"op": "test", "path": "/n", "value": 9}], "application/json-patch+json", 409),
        ([{"op": "remove", "path": "/n"}], "application/json-patch+json", 200),
        ([{"op": "remove", "path": "/x"}], "application/json-patch+json", 409),
        ([{"op": "fly", "path": "/x"}], "application/json-patch+json", 400),
        (
            [{"op": "copy", "from": "", "path": f"/x{n}"} for n in range(40)],
            "application/json-patch+json",
            400,
        ),
        ([{"op": "add", "path": "", "value": 1}], "application/json-patch+json", 400),
        ([7], "application/json-patch+json", 400),
        ({"op": "add"}, "application/json-patch+json", 400),
        ([{"op": "add"}] * 1001, "application/json-patch+json", 400),
    ],
)
async def test_a_patch_changes_a_row_wholly_or_not_at_all(
    tmp_path: Path, patch: Any, kind: str, status: int
) -> None:
    async with declared(suite_of(tmp_path)) as shop:
        answer = await shop.ask("PATCH", "/things/a", json=patch, headers={"Content-Type": kind})
        assert answer.status_code == status, answer.text
        now = (await shop.ask("GET", "/things/a")).json()
    assert now == ({"id": "a"} if status == 200 else {"id": "a", "n": 1})


@pytest.mark.parametrize(
    ("ids", "keys"),
    [
        ("int", [1, 2]),
        ("T-{{ pad(seq, 3) }}", ["T-001", "T-002"]),
        ("{{ body.n }}x", ["7x", 409]),
        ("", [422, 422]),
    ],
)
async def test_keys_are_made_as_the_declaration_says(
    tmp_path: Path, ids: str, keys: list[Any]
) -> None:
    async with declared(suite_of(tmp_path, {"ids": ids})) as shop:
        made = [await shop.ask("POST", "/things", json={"n": 7}) for _ in range(2)]
    assert [each.json().get("id") or each.status_code for each in made] == keys


@pytest.mark.parametrize("ids", ["uuid", "hex", "base36", "{{ digits(5) }}"])
async def test_made_up_keys_follow_from_the_seed(tmp_path: Path, ids: str) -> None:
    suite, keys = suite_of(tmp_path, {"ids": ids}), []
    for seed in (1, 1, 2):
        async with declared(suite, seed=seed) as shop:
            keys.append((await shop.ask("POST", "/things", json={})).json()["id"])
    assert keys[0] == keys[1] != keys[2]


@pytest.mark.slow
@pytest.mark.parametrize("ids", ["T{{ seq }}", "hex"])
async def test_a_snapshot_says_which_keys_come_first(tmp_path: Path, ids: str) -> None:
    suite = suite_of(tmp_path, {"ids": ids})
    layer = {"shop:keys": {"things": ["T7", "T12"]}}
    async with declared(suite, overrides=(layer,)) as shop:
        keys = [(await shop.ask("POST", "/things", json={})).json()["id"] for _ in range(3)]
        assert shop.session.world.written_collections() == ("shop.things",)
    assert keys[:2] == ["T7", "T12"]
    assert keys[2] == "T13" if ids != "hex" else keys[2] not in {"T7", "T12"}


@pytest.mark.parametrize(
    ("keys", "problem"),
    [([], "expected an object"), ({"thing": ["x"]}, "no collection that makes keys"),
     ({"things": ["x", None]}, "an array of keys"), ({"things": "x"}, "an array of keys")],
)  # fmt: skip
def test_keys_that_cannot_be_given_are_problems(tmp_path: Path, keys: Any, problem: str) -> None:
    suite = suite_of(tmp_path, {"ids": "hex"})
    (suite / "base" / "keys.json").write_text(json.dumps({"shop:keys": keys}))
    assert problem in str(lint_suite(suite))


async def test_a_number_refused_is_not_used_up(tmp_path: Path) -> None:
    async with declared(suite_of(tmp_path, {"ids": "int", "unique": ["n"]})) as shop:
        assert (await shop.ask("POST", "/things", json={"n": 1})).status_code == 409
        assert (await shop.ask("POST", "/things", json={"n": 5})).json()["id"] == 1


async def test_work_that_takes_time_is_accepted_and_told_later(tmp_path: Path) -> None:
    later = {"ids": "int", "accepted": {"path": "/jobs/{job}", "seconds": 30}}
    async with declared(suite_of(tmp_path, later)) as shop:
        accepted = await shop.ask("POST", "/things", json={"n": 3})
        assert (accepted.status_code, accepted.json()["status"]) == (202, "pending")
        where = accepted.headers["location"]
        assert (await shop.client.get(where)).json()["status"] == "pending"
        shop.session.advance(31)
        assert (await shop.client.get(where)).json()["result"] == {"id": 1, "n": 3}
        assert (await shop.ask("GET", "/jobs/x")).status_code == 404


async def test_files_of_rows_are_sent_and_fetched(tmp_path: Path) -> None:
    files = {"photo": {"path": "/things/{id}/photo", "meta": "photo", "required": "image/*"}}
    async with declared(suite_of(tmp_path, {"files": files})) as shop:
        kind = {"Content-Type": "image/png"}
        sent = await shop.ask("PUT", "/things/a/photo", content=b"\x89PNG", headers=kind)
        assert sent.status_code == 201
        assert sent.json()["photo"] == {"name": "", "contentType": "image/png", "size": 4}
        form = {"file": ("a.png", b"12345", "image/png")}
        assert (await shop.ask("POST", "/things/a/photo", files=form)).status_code == 200
        fetched = await shop.ask("GET", "/things/a/photo")
        assert (fetched.content, fetched.headers["content-type"]) == (b"12345", "image/png")
        assert 'filename="a.png"' in fetched.headers["content-disposition"]
        found = await statuses(
            shop,
            ("PUT", "/things/a/photo", {"content": b"x", "headers": {"Content-Type": "a/b"}}),
            ("PUT", "/things/a/photo", {}),
            ("DELETE", "/things/a/photo", {}),
            ("DELETE", "/things/a/photo", {}),
            ("GET", "/things/a/photo", {}),
        )
        assert found == [415, 400, 204, 404, 404]
        assert shop.session.world.diff() == {}


async def test_webhooks_are_recorded(tmp_path: Path) -> None:
    hook = {"on": "things.*", "url": "https://x.example.com/{{ row.id }}", "event": "made"}
    async with declared(suite_of(tmp_path, webhooks=[hook])) as shop:
        await shop.ask("PATCH", "/things/a", json={"n": 9})
        rows = shop.session.state(("shop:webhooks",))["shop:webhooks"]
        diff = shop.session.world.diff()
    assert [(row["url"], row["body"]) for row in rows.values()] == [
        ("https://x.example.com/a", {"event": "made", "data": {"id": "a", "n": 9}})
    ]
    assert set(diff) == {"shop.things"}


ERRORS: list[tuple[Any, str, Any]] = [
    ("problem+json", "application/problem+json",
     {"type": "about:blank", "title": "Not Found", "status": 404,
      "detail": "No things with id 'x'.", "instance": "/things/x"}),
    ("google", "application/json",
     {"error": {"code": 404, "message": "No things with id 'x'.", "status": "NOT_FOUND"}}),
    ("jsonapi", "application/vnd.api+json",
     {"errors": [{"status": "404", "code": "not_found", "title": "Not Found",
                  "detail": "No things with id 'x'."}]}),
    ({"shape": {"m": "{{ reason }}: {{ path }}", "s": "{{ status }}"}, "reasons": {404: "gone"}},
     "application/json", {"m": "gone: /things/x", "s": 404}),
]  # fmt: skip


@pytest.mark.parametrize(("errors", "kind", "body"), ERRORS)
async def test_errors_are_said_in_the_declared_shape(
    tmp_path: Path, errors: Any, kind: str, body: Any
) -> None:
    schema = {"properties": {"n": {"type": "integer"}}}
    async with declared(suite_of(tmp_path, {"schema": schema}, errors=errors)) as shop:
        answer = await shop.ask("GET", "/things/x")
        assert (answer.headers["content-type"], answer.json()) == (kind, body)
        wrong = await shop.ask("POST", "/things", json={"id": "c", "n": "x"})
        assert wrong.status_code == 422
        if not isinstance(errors, dict):
            assert "is not of type 'integer'" in wrong.text


async def test_faults_are_said_in_the_declared_shape(tmp_path: Path) -> None:
    fault = {"method": "shop.things.list", "status": 503, "message": "down", "times": 1}
    async with declared(suite_of(tmp_path), faults=[fault]) as shop:
        answer = await shop.ask("GET", "/things")
        assert (answer.status_code, answer.json()["error"]["message"]) == (503, "down")
        assert (await shop.ask("GET", "/things")).status_code == 200
        assert [entry["source"] for entry in shop.journal] == ["fault", "state"]


async def test_stubs_and_handlers_of_a_trusted_suite_answer(tmp_path: Path) -> None:
    (tmp_path / "shop_functions.py").write_text(
        "def count(call):\n    return {'n': len(call.world.table('shop.things')), **call.params}\n"
    )
    stub = {"route": "GET /hello/{name}", "status": 203, "body": {"to": "{{ params.name }}"},
            "headers": {"X-A": "b"}}  # fmt: skip
    handler = {"count": {"route": "GET /count/{of}", "handler": "shop_functions:count"}}
    act = {"path": "POST /things/{id}/x", "handler": "shop_functions:count"}
    suite = suite_of(tmp_path, {"actions": {"x": act}}, stubs=[stub], handlers=handler)
    with pytest.raises(InvalidFilesError, match="trust-suite"):
        async with declared(suite):
            pass
    async with declared(suite, trusted=True) as shop:
        answer = await shop.ask("GET", "/hello/you")
        assert (answer.status_code, answer.json()) == (203, {"to": "you"})
        assert answer.headers["x-a"] == "b"
        assert (await shop.ask("GET", "/count/x?y=1")).json() == {"n": 2, "y": "1", "of": "x"}
        assert (await shop.ask("POST", "/things/a/x")).json() == {"n": 2, "id": "a"}
        methods = [entry["method_id"] for entry in shop.journal]
    assert methods == ["shop.get_hello_name", "shop.count", "shop.things.x"]


async def test_no_file_of_a_suite_stands_in_for_a_module_of_ours(tmp_path: Path) -> None:
    for name in ("orjson", "wave", "shop_colours"):
        (tmp_path / f"{name}.py").write_text("def count(call):\n    return {'n': 0}\n")
    (tmp_path / "shop_wave.py").write_text(
        "import wave, shop_colours\ndef count(call):\n    return {'n': len(wave.__name__)}\n"
    )
    for module, wrong in (("shop_wave", ""), ("wave", "is a module of Python")):
        handler = {"count": {"route": "GET /count", "handler": f"{module}:count"}}
        suite = suite_of(tmp_path, handlers=handler)
        if wrong:
            with pytest.raises(InvalidFilesError, match=wrong):
                async with declared(suite, trusted=True):
                    pass
            continue
        async with declared(suite, trusted=True) as shop:
            assert (await shop.ask("GET", "/count")).json() == {"n": 4}
    assert not hasattr(import_module("orjson"), "count")
    assert not hasattr(import_module("wave"), "count")


async def test_what_callers_see_and_set_is_bounded(tmp_path: Path) -> None:
    collection = {
        "ids": "int", "hidden_fields": ["secret"], "readonly_fields": ["owner"],
        "defaults": {"owner": "me", "secret": "{{ uuid() }}"}, "item_in": "data", "fields": "only",
        "list_in": "data.rows", "upsert": True, "updated": "changed", "delete_status": 200,
        "paging": {"style": "offset", "total": "meta.total", "has_more": "meta.more",
                   "next_url": "links.next", "previous_url": "links.previous", "next": "meta.next",
                   "default": 1},
    }  # fmt: skip
    async with declared(suite_of(tmp_path, collection)) as shop:
        made = (await shop.ask("POST", "/things", json={"data": {"n": 1, "owner": "you"}})).json()
        assert made == {"data": {"id": 1, "owner": "me", "n": 1,
                                 "changed": "2026-11-22T09:00:00.000Z"}}  # fmt: skip
        put = await shop.ask("PUT", "/things/9", json={"n": 2})
        assert (put.status_code, put.json()["data"]["id"]) == (201, 9)
        kept = shop.session.state(("shop.things",))["shop.things"]["1"]["secret"]
        again = await shop.ask("PUT", "/things/1", json={"n": 5})
        assert again.json()["data"]["owner"] == "me"
        assert shop.session.state(("shop.things",))["shop.things"]["1"]["secret"] == kept
        page = (await shop.ask("GET", "/things?offset=1&only=n")).json()
        assert page["data"] == {"rows": [{"n": 2}]}
        assert page["meta"] == {"total": 4, "more": True, "next": 2}
        assert page["links"]["next"].endswith("/things?only=n&offset=2")
        assert (await shop.ask("DELETE", "/things/1")).json()["data"]["n"] == 5


async def test_unknown_parameters_are_told_or_refused(tmp_path: Path) -> None:
    async with declared(suite_of(tmp_path / "a")) as shop:
        assert (await shop.ask("GET", "/things?x=1")).headers["x-mock-ignored"] == "x"
    async with declared(suite_of(tmp_path / "b", {"unknown_params": "refused"})) as shop:
        assert (await shop.ask("GET", "/things?x=1")).status_code == 400


@pytest.mark.parametrize(
    ("content", "kind", "status"),
    [
        (b"{", "application/json", 400),
        (b"n=1&id=c", "application/x-www-form-urlencoded", 201),
        (b'{"id": "c"}', "application/x-www-form-urlencoded", 201),
        (b'{"id": "c"}', "application/vnd.api+json", 201),
        (b"<a/>", "application/xml", 415),
        (b"x", "multipart/form-data; boundary=y", 400),
        (b"--y\r\n" * 2000, "multipart/form-data; boundary=y", 400),
        (b"", "application/json", 400),
    ],
)
async def test_bodies_of_many_kinds_are_read(
    tmp_path: Path, content: bytes, kind: str, status: int
) -> None:
    async with declared(suite_of(tmp_path)) as shop:
        headers = {"Content-Type": kind}
        answer = await shop.ask("POST", "/things", content=content, headers=headers)
    assert answer.status_code == status, answer.text


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ([], "expected an object of collections, found an array"),
        ({"thing": []}, "did you mean 'things'?"),
        ({"things": 7}, "expected an array of rows, found a number"),
        ({"things": [7]}, "expected an object, found a number"),
        ({"things": [{"n": 1}]}, "has no 'id', which names it"),
        ({"things": [{"ID": "a"}]}, "has no 'id', which names it (did you mean 'ID'?)"),
        ({"things": [{"id": True}]}, "has no 'id', which names it"),
        ({"things": {"a": {"id": "b"}}}, "has the id 'b', and stands under 'a'"),
        ({"things": [{"id": "a"}, {"id": "a"}]}, "has the id of another row: 'a'"),
    ],
)
async def test_rows_of_a_snapshot_that_cannot_be_served_are_told(
    tmp_path: Path, rows: Any, problem: str
) -> None:
    suite = write_suite(tmp_path, {"api": "shop", "collections": {"things": {}}}, rows)
    if rows == []:
        (suite / "base" / "rows.json").write_text('{"shop": []}')
    with pytest.raises(InvalidFilesError, match="shop") as caught:
        async with declared(suite):
            pass
    assert problem in str(caught.value)


async def test_rows_may_be_written_by_key(tmp_path: Path) -> None:
    suite = write_suite(
        tmp_path, {"api": "shop", "collections": {"things": {}}}, {"things": {"a": {"n": 1}}}
    )
    async with declared(suite) as shop:
        assert (await shop.ask("GET", "/things/a")).json() == {"id": "a", "n": 1}


async def test_a_declared_method_answers_other_methods_of_the_session(tmp_path: Path) -> None:
    async with declared(suite_of(tmp_path, {"filters": {"n": "n"}})) as shop:
        api = shop.application.dispatcher.routes.declared.apis[0]
        handler = api.as_api.handlers["shop.things.list"]
        from mockserver.googleapi import Call

        call = Call("shop.things.list", {"n": 2}, {}, shop.session.world)
        assert handler(call) == {"items": [{"id": "b", "n": 2}]}
        made = Call("shop.things.create", {}, {"id": "c"}, shop.session.world)
        assert api.as_api.handlers[made.id](made) == {"id": "c"}


async def test_keys_count_inside_of_the_row_around_alone(tmp_path: Path) -> None:
    collections: dict[str, Any] = {
        "orders": {},
        "items": {"parent": "orders", "paging": {"style": "key", "default": 1}},
    }
    items = [{"id": key, "orderId": order} for order in ("a", "a/b") for key in ("1", "2")]
    rows = {"orders": [{"id": "a"}, {"id": "a/b"}], "items": items}
    suite = write_suite(tmp_path, {"api": "shop", "collections": collections}, rows)
    async with declared(suite) as shop:
        page = await shop.ask("GET", "/orders/a%2Fb/items?starting_after=1")
        assert page.json() == [{"id": "2", "orderId": "a/b"}]
        found = await statuses(
            shop,
            ("GET", "/orders/a/items/b%2F1", {}),
            ("DELETE", "/orders/a", {}),
            ("GET", "/orders/a/items/1", {}),
            ("GET", "/orders/a%2Fb/items/1", {}),
        )
    assert found == [404, 204, 404, 200]


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        ([{"id": "a", "up": "b"}, {"id": "b", "up": "a"}], "up leads in a circle: a > b > a"),
        ([{"id": "a", "up": "a"}], "up leads in a circle: a > a"),
        ([{"id": "a", "up": "z"}], "a: up names no things: z"),
        ([{"id": "a"}, {"id": "b", "up": "a"}, {"id": "c", "up": "b"}], ""),
    ],
)
def test_lint_tells_of_references_that_lead_nowhere(
    tmp_path: Path, rows: list[dict[str, str]], text: str
) -> None:
    tree = {"things": {"refs": {"up": {"to": "things.id", "within": True}}}}
    suite = write_suite(tmp_path, {"api": "shop", "collections": tree}, {"things": rows})
    found = [each.message for each in lint_suite(suite).problems if "up " in each.message]
    assert found == ([text] if text else [])
