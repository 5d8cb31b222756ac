"""A name in a prompt is found by the pseudonym that its recording has for it."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.cassettes.replay import IndexedCassette, NoMatch, PlayedMatch, Player
from mockserver.cassettes.replay.names import NameBindings, has_names
from mockserver.model import Cassette, CassetteInfo, Interaction, RecordedRequest, RecordedResponse
from mockserver.redaction import Redactor, RuleSet

KEY = b"a key of tests"
OURS = Redactor(RuleSet.default(), KEY)
ADA, BEA = (OURS.pseudonym("person_name", name) for name in ("Ada Lovelace", "Bea Stranger"))
TOLD = json.dumps({"passenger": {"full_name": "Ada Lovelace"}})


def chat(*texts: Any, model: str = "m") -> RecordedRequest:
    messages = [{"role": "user", "content": text} for text in texts]
    body = json.dumps({"model": model, "messages": messages}).encode()
    headers = (("content-type", "application/json"),)
    return RecordedRequest("POST", "https://api.openai.com/v1/chat/completions", headers, body)


def numbers(
    recorded: list[RecordedRequest], *asked: RecordedRequest, own: bool
) -> list[tuple[int, bool]]:
    interactions = tuple(Interaction(each, RecordedResponse(200)) for each in recorded)
    tape = IndexedCassette.of(
        Cassette("c.yaml", interactions, CassetteInfo(key_id=OURS.key_id)),
        redactor=Redactor(RuleSet.default(), KEY if own else b"another key"),
    )
    one = Player([tape], repeats="once")
    found = [one.play(tape.keyer.of(each)) for each in asked]
    return [(each.number, each.by_kind) if isinstance(each, PlayedMatch) else (0, False)
            for each in found]  # fmt: skip


@pytest.mark.parametrize("own", [True, False])
@pytest.mark.parametrize(
    ("recorded", "asked", "fits"),
    [
        ([f"For {ADA}, 2 seats."], ["For Ada Lovelace, 2 seats."], True),
        ([f"{ADA}\n{ADA} (of Bern)"], ["Ada Lovelace\nAda Lovelace (of Bern)"], True),
        ([f"For {ADA}.", f"For {BEA}."], ["For Ada Lovelace.", "For Bea Stranger."], True),
        ([f"For {ADA}.", TOLD.replace("Ada Lovelace", ADA)], ["For Ada Lovelace.", TOLD], True),
        ([f"For {ADA}.", TOLD.replace("Ada Lovelace", ADA)],
         ["For Ada Lovelace.", TOLD.replace("Ada Lovelace", ADA)], True),
        ([f"For {ADA}, 2 seats."], ["For Ada Lovelace, 3 seats."], False),
        ([f"For {ADA}."], ["For Ada."], False),
        ([f"For {ADA}."], ["For Ada Lovelace.", "Now."], False),
        ([f"{ADA}, {ADA}"], ["Ada Lovelace, Bea Stranger"], False),
        ([f"{ADA}, {BEA}"], ["Ada Lovelace, Ada Lovelace"], False),
    ],
)  # fmt: skip
def test_what_differs_in_names_alone_is_found(
    own: bool, recorded: list[str], asked: list[str], fits: bool
) -> None:
    assert numbers([chat(*recorded)], chat(*asked), own=own) == [(int(fits), fits and not own)]


def test_with_the_key_each_name_finds_its_own_recording() -> None:
    recorded = [chat(f"For {ADA}."), chat(f"For {BEA}.")]
    asked = [chat(f"For {name}.") for name in ("Bea Stranger", "Cy Other", "Ada Lovelace")]
    assert [number for number, _ in numbers(recorded, *asked, own=True)] == [2, 0, 1]


def test_without_it_what_fits_two_recordings_is_a_miss_until_a_name_is_known() -> None:
    recorded = [chat(f"For {ADA}."), chat(f"For {BEA}."), chat(f"Begin with {ADA}.")]
    first, ada = chat("Begin with Ada Lovelace."), chat("For Ada Lovelace.")
    assert numbers(recorded, ada, first, ada, own=False) == [(0, False), (3, True), (1, True)]


def test_a_name_stays_who_it_was() -> None:
    recorded = [chat(f"For {ADA}."), chat(f"Again for {ADA}.")]
    asked = [chat("For Ada Lovelace."), chat("Again for Bea Stranger.")]
    assert numbers(recorded, *asked, own=False) == [(1, True), (0, False)]


def test_another_model_is_another_request() -> None:
    asked = chat("For Ada Lovelace.", model="n")
    assert numbers([chat(f"For {ADA}.")], asked, own=True) == [(0, False)]


def test_only_calls_of_models_are_compared_so() -> None:
    recorded = RecordedRequest("POST", "https://api.example.com/a", (), f"For {ADA}.".encode())
    asked = RecordedRequest("POST", "https://api.example.com/a", (), b"For Ada Lovelace.")
    tape = IndexedCassette.of(Cassette("c.yaml", (Interaction(recorded, RecordedResponse(200)),)),
                              redactor=OURS.new_instance())  # fmt: skip
    assert isinstance(Player([tape]).play(tape.keyer.of(asked)), NoMatch)


@pytest.mark.parametrize(
    ("recorded", "asked", "same"),
    [
        ({"a": [1, True, None, "x"]}, {"a": [1, True, None, "x"]}, True),
        ({"a": 1}, {"a": True}, False),
        ({"a": 1}, [1], False),
        ([1], {"a": 1}, False),
        ([1], [1, 2], False),
        ("1", 1, False),
    ],
)
def test_all_else_must_be_equal(recorded: Any, asked: Any, same: bool) -> None:
    found = NameBindings(str, is_own=False).fit(recorded, asked, str)
    assert (found is not None) == same


@given(st.lists(st.sampled_from(["Ada", "Bea", "Cy", "Dr"]), min_size=1, max_size=6))
def test_names_fit_what_is_made_of_them(words: list[str]) -> None:
    made = {word: OURS.pseudonym("person_name", word) for word in words}
    recorded = "; ".join(made[word] for word in words)
    bindings = NameBindings(str, is_own=False)
    found = bindings.fit([recorded], ["; ".join(words)], str)
    assert found == {made[word]: word for word in words}
    bindings.bind(found)
    others = {word: "Zed" if word == words[0] else word for word in words}
    assert bindings.fit(recorded, "; ".join(others[word] for word in words), str) is None
    assert has_names({"a": [recorded]})
    assert not has_names(["; ".join(words)])
