import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mockserver.cassettes.matching import canonical
from mockserver.cassettes.replay import (
    Conflict,
    IndexedCassette,
    PlayedMatch,
    Player,
    RequestKeys,
    Scrubs,
    conflicts,
)
from mockserver.model import Cassette, CassetteInfo, Interaction, RecordedRequest, RecordedResponse
from mockserver.redaction import Redactor, RuleSet
from tests.mockserver.cassettes.replay.recordings import ORIGIN, cassette, interaction, request


class Numbering:
    """Redacts `secret` by a pseudonym that its key makes."""

    def __init__(self, key_id: str) -> None:
        self.key_id = key_id

    def pseudonym(self, kind: str, value: str) -> str:
        return value

    def redact_request(self, request: RecordedRequest, /) -> RecordedRequest:
        return replace(request, url=request.url.replace("secret", f"user-{self.key_id}"))


def test_a_tape_knows_its_hosts_and_where_it_was_recorded() -> None:
    found = cassette(["GET /a"])
    info = CassetteInfo(upstream=ORIGIN, key_id="k")
    tape = IndexedCassette.of(replace(found, info=info))
    assert (tape.hosts, tape.upstream, tape.key_id) == (frozenset({"api.example.com"}), ORIGIN, "k")


@pytest.mark.parametrize(
    ("key_id", "url"), [("", "/user-k1"), ("k1", "/secret"), ("k2", "/user-k1")]
)
def test_a_cassette_that_our_key_did_not_redact_is_redacted_to_be_found(
    key_id: str, url: str
) -> None:
    tape = IndexedCassette.of(cassette(["GET /secret"], key_id=key_id), redactor=Numbering("k1"))
    assert tape.requests[0].url == ORIGIN + url
    assert tape.keyer.fresh(request(f"GET {url}")).exact in tape.exact


@pytest.mark.parametrize(
    ("asked", "number", "differs"),
    [
        ("GET /users/ann?a=1", 1, ("query.a",)),
        ("GET /users/bob", 1, ("path segment 2",)),
        ("GET /users/ann/x", 1, ("path segment 3",)),
        ('PUT /users/ann {"a": 2}', 2, ("body.a",)),
    ],
)
def test_the_nearest_recording_is_found(asked: str, number: int, differs: tuple[str, ...]) -> None:
    tape = IndexedCassette.of(
        cassette(["GET /users/ann", 'PUT /users/ann {"a": 1}', "GET /groups"])
    )
    found = tape.near(canonical(request(asked)))
    assert found is not None
    assert (found[0] + 1, found[1].differs) == (number, differs)


def test_an_empty_tape_has_nothing_near() -> None:
    tape = IndexedCassette.of(Cassette("c.yaml", ()))
    assert tape.near(canonical(request("GET /a"))) is None


def test_few_of_many_recordings_are_compared() -> None:
    tape = IndexedCassette.of(
        cassette([f"GET /users/{number}?a={number}" for number in range(3000)])
    )
    found = tape.near(canonical(request("GET /groups/1")))
    assert found is not None
    assert found[0] == 1


def test_cassettes_that_answer_differently_are_told() -> None:
    same = Cassette("b.yaml", (interaction("GET /a", 1), interaction("GET /b", "other")))
    found = conflicts(
        [
            IndexedCassette.of(cassette(["GET /a", "GET /b"], name="a.yaml")),
            IndexedCassette.of(same),
        ]
    )
    assert found == (Conflict("GET", f"{ORIGIN}/b", ("a.yaml", 2), ("b.yaml", 2)),)


def test_what_another_key_redacted_is_found_by_kind_where_only_one_request_fits() -> None:
    def scrub(text: str) -> str:
        return text.replace("user-k1", "<user>").replace("user-k2", "<user>")

    def tape(*words: str) -> IndexedCassette:
        keyer = RequestKeys(Numbering("k2"), scrubs=Scrubs(pseudonyms=scrub))
        return IndexedCassette(cassette(words, key_id="k1"), keyer)

    alone = tape("GET /user-k1", "GET /user-k1")
    key = alone.keyer.fresh(request("GET /user-k2")).by_kind
    assert alone.by_kind[key] == [0, 1]
    assert alone.ambiguous == set()
    several = tape("GET /user-k1", "GET /user-k2")
    assert several.ambiguous == {key}


SECRETS = st.sampled_from([
    "ann@corp-real.io", "bob@corp-real.io", "ya29.a0ARrdaM-not-real-0123456789", "203.0.114.9",
    "1//0g-not-a-real-refresh-token-000", "C03xyz987", "user-1a2b3c4d@example.com", "plain", "ann",
])  # fmt: skip
LIVE = st.builds(
    lambda path, value, word: RecordedRequest(
        "POST",
        f"{ORIGIN}/users/{path}?email={value}",
        (("Content-Type", "application/json"), ("Authorization", f"Bearer {word}")),
        json.dumps({"primaryEmail": value, "ip": word, "note": f"{path} and {value}"}).encode(),
    ),
    SECRETS,
    SECRETS,
    SECRETS,
)


@settings(max_examples=30, deadline=None)
@given(st.lists(LIVE, min_size=1, max_size=4, unique_by=lambda live: (live.url, live.body)))
def test_live_requests_find_the_recordings_of_a_redacted_cassette(
    requests: list[RecordedRequest],
) -> None:
    while_recording, while_replaying = (Redactor(RuleSet.default(), b"a key") for _ in range(2))
    recorded = tuple(
        Interaction(while_recording.redact_request(live), RecordedResponse(200, body=live.body))
        for live in requests
    )
    info = CassetteInfo(key_id=while_recording.key_id)
    tape = IndexedCassette.of(Cassette("c.yaml", recorded, info), redactor=while_replaying)
    player = Player([tape])
    answers = [player.play(while_replaying.redact_request(live)) for live in requests]
    assert [each.number for each in answers if isinstance(each, PlayedMatch)] == [
        number for number, _ in enumerate(requests, 1)
    ]


def test_another_clients_credentials_find_the_same_recording() -> None:
    redactor = Redactor(RuleSet.default(), b"a key")

    def refresh(token: str) -> RecordedRequest:
        body = f"grant_type=refresh_token&refresh_token={token}".encode()
        form = (("Content-Type", "application/x-www-form-urlencoded"),)
        return RecordedRequest("POST", "https://oauth2.googleapis.com/token", form, body)

    mine, other = "1//0gAAAAnot-a-real-token-mine", "1//0gBBBBnot-a-real-token-other"
    found = Interaction(redactor.redact_request(refresh(mine)), RecordedResponse(200))
    info = CassetteInfo(key_id=redactor.key_id)
    tape = IndexedCassette.of(Cassette("c.yaml", (found,), info), redactor=redactor)
    assert isinstance(Player([tape]).play(redactor.redact_request(refresh(other))), PlayedMatch)
