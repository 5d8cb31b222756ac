"""A new API takes a module and a line of the table, as the documents say."""

import json
from pathlib import Path

import pytest

from tests.additions import Addition, run_with

MODULE = '''
"""Emulates an API of parrots, which no Discovery document has: its own document describes it."""

from collections.abc import Mapping

from mockserver.googleapi import Api, Call, Collection, Handler, SnapshotImport, not_found
from mockserver.model import JsonObject

_NAME = {"type": "string", "location": "path", "required": True}


def get_parrot(call: Call) -> JsonObject:
    """A parrot by its name.

    Raises:
        ApiError: 404, there is none of that name.
    """
    found = call.world.table("parrots").get(str(call.params["parrot"]))
    if found is None:
        raise not_found("no such parrot")
    return found


def teach_parrot(call: Call) -> JsonObject:
    """A parrot that knows the words of the body, too."""
    parrot = get_parrot(call)
    taught = {**parrot, "words": [*parrot.get("words", []), *call.body.get("words", [])]}
    call.world.put("parrots", parrot["name"], taught)
    return taught


def import_snapshot(found: SnapshotImport) -> None:
    """Make the table."""
    found.tables["parrots"] = {row["name"]: row for row in found.raw.get("parrots", [])}


HANDLERS: Mapping[str, Handler] = {
    "parrots.parrots.get": get_parrot,
    "parrots.parrots.teach": teach_parrot,
}
DOCUMENT: JsonObject = {
    "kind": "discovery#restDescription",
    "name": "parrots",
    "version": "v1",
    "rootUrl": "https://parrots.example.com/",
    "servicePath": "",
    "schemas": {
        "Lesson": {
            "id": "Lesson",
            "type": "object",
            "properties": {"words": {"type": "array", "items": {"type": "string"}}},
        }
    },
    "resources": {
        "parrots": {
            "methods": {
                "get": {
                    "id": "parrots.parrots.get",
                    "httpMethod": "GET",
                    "path": "v1/parrots/{parrot}",
                    "parameters": {"parrot": _NAME},
                },
                "teach": {
                    "id": "parrots.parrots.teach",
                    "httpMethod": "POST",
                    "path": "v1/parrots/{parrot}:teach",
                    "parameters": {"parrot": _NAME},
                    "request": {"$ref": "Lesson"},
                },
            }
        }
    },
}
API = Api(
    name="parrots",
    documents=(),
    handlers=HANDLERS,
    collections=(Collection("parrots", "parrots and their words"),),
    import_snapshot=import_snapshot,
    supplements=(DOCUMENT,),
    is_public=True,
)
'''
PROGRAM = """
from pathlib import Path

import httpx

from mockserver.cli.main import main
from mockserver.testing import EmulatorTransport

with httpx.Client(transport=EmulatorTransport(Path("suite"))) as client:
    url = "https://parrots.example.com/v1/parrots/"
    assert client.get(url + "jack").json() == {"name": "jack", "words": ["ahoy"]}
    assert client.post(url + "jack:teach", json={"words": ["rum"]}).status_code == 200
    assert client.get(url + "jack").json()["words"] == ["ahoy", "rum"]
    missing = client.get(url + "polly")
    assert (missing.status_code, missing.json()["error"]["status"]) == (404, "NOT_FOUND")
    wrong = client.post(url + "jack:teach", json={"songs": []})
    assert wrong.status_code == 400, wrong.text
sys.argv = ["mockserver", "apis", "parrots"]
main()
"""
ADDITION = Addition(
    module="mockserver/apis/parrots.py",
    source=MODULE,
    table="mockserver/apis/__init__.py",
    imported="from mockserver.apis.parrots import API as PARROTS",
    after="_OWN: tuple[Api, ...] = (\n",
    line="    PARROTS,\n",
)


@pytest.mark.slow
def test_an_api_is_added_by_a_module_and_a_line(tmp_path: Path) -> None:
    base = tmp_path / "suite" / "base"
    base.mkdir(parents=True)
    world = {"parrots": [{"name": "jack", "words": ["ahoy"]}]}
    (base / "parrots.json").write_text(json.dumps(world), encoding="utf-8")
    listed = run_with(ADDITION, tmp_path, PROGRAM)
    assert "parrots.parrots.get" in listed
    assert "emulated" in listed
