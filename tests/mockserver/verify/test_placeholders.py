"""Placeholders of an invented log: one text for the ids of two networks, and of two URL maps."""

import re

from mockserver.messages import read_json
from mockserver.model import Interaction, Json
from mockserver.verify.placeholders import Placeholders, created_name
from mockserver.verify.values import Translation
from tests.recordings import interaction

GLOBAL = "https://compute.googleapis.com/compute/v1/projects/shop/global"
NET = f"{GLOBAL}/networks/100001"
MAP = f"{GLOBAL}/urlMaps/100002"
OPERATION: Json = {"name": "100003"}


def made(collection: str, name: str) -> Interaction:
    return interaction(f"{GLOBAL}/{collection}", OPERATION, verb="POST", body={"name": name})


def test_answers_tell_which_resource_a_placeholder_means() -> None:
    missing: Json = {"error": {"message": "'global/urlMaps/map-2' was not found"}}
    asked = [
        (interaction(NET, {}, status=404), "100001"),
        (made("networks", "100001"), ""),
        (interaction(NET, {"name": "100001"}), "100001"),
        # another one that is called the same is not there yet, and is made
        (interaction(NET, {}, status=404), "1000012"),
        (made("networks", "100001"), ""),
        (interaction(NET, {"name": "100001"}), "1000012"),
        (interaction(NET, OPERATION, verb="DELETE"), "1000012"),
        (interaction(NET, {"name": "100001"}), "100001"),
        # what a client named is named by the answer
        (made("urlMaps", "map-1"), ""),
        (interaction(MAP, {"name": "map-1"}), "map-1"),
        (interaction(MAP, missing, status=404), "map-2"),
        (made("urlMaps", "map-2"), ""),
        (interaction(MAP, {"selfLink": f"{GLOBAL}/urlMaps/map-1"}), "map-1"),
    ]  # fmt: skip
    translation = Translation(placeholders=re.compile(r"10\d{4}"))
    placeholders = Placeholders(translation, [each for each, _ in asked])
    for number, (each, own) in enumerate(asked):
        placeholders.resolve(each)
        if own:
            path = each.request.url.removeprefix(GLOBAL)
            assert translation.path(path).rpartition("/")[2] == own, number


def test_the_name_that_a_request_chooses() -> None:
    reference: Json = {"datasetReference": {"projectId": "p", "datasetId": "d"}}
    for url, body, expected in (
        ("/v1/projects/p/secrets?secretId=s", {}, ("secrets", "s")),
        ("/v2/projects/p/datasets", reference, ("datasets", "d")),
        ("/v1/projects/p/topics", {"name": "projects/p/topics/t"}, ("topics", "t")),
        ("/v1/projects/p/topics/t:publish", {}, ("t", "")),
    ):
        sent = interaction(f"https://x.example.com{url}", verb="POST", body=body).request
        assert created_name(sent) == expected, read_json(sent.body)
    assert created_name(interaction(NET).request) == ("", "")
