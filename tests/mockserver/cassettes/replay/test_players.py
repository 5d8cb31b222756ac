from dataclasses import FrozenInstanceError, replace
from itertools import permutations
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from mockserver.cassettes.files import read_cassette
from mockserver.cassettes.matching import Effect, canonical, effect_of, is_related
from mockserver.cassettes.replay import (
    Conflict,
    IndexedCassette,
    NoMatch,
    PlayedMatch,
    Player,
    RequestKeys,
    Scrubs,
    UnplayedRecording,
)
from mockserver.model import (
    Barriers,
    Cassette,
    CassetteInfo,
    Interaction,
    Match,
    MatchPart,
    RecordedRequest,
    RecordedResponse,
    Repeats,
)
from mockserver.redaction import Redactor, RuleSet
from tests.mockserver.cassettes.replay.recordings import cassette, interaction, request
from tests.mockserver.cassettes.replay.test_tapes import Numbering

SHIPPED = [
    path
    for path in sorted((Path(__file__).parents[4] / "cassettes").rglob("*.yaml"))
    if path.parent.name != "plans"
]
READ, WRITE = "GET /users/ann", 'PUT /users/ann {"a": 1}'


def played(player: Player, word: str) -> int:
    found = player.play(request(word))
    return found.number if isinstance(found, PlayedMatch) else 0


def player(*words: str, repeats: Repeats = "once", barriers: Barriers = "strict") -> Player:
    return Player([IndexedCassette.of(cassette(words))], repeats=repeats, barriers=barriers)


def test_recordings_of_one_request_are_played_in_order() -> None:
    one = player("GET /a", "GET /b", "GET /a")
    assert [played(one, word) for word in ("GET /a", "GET /a", "GET /b")] == [1, 3, 2]


@pytest.mark.parametrize(
    ("repeats", "expected"),
    [
        ("once", [1, 2, 0, 0, 0]),
        ("reads", [1, 2, 2, 2, 2]),
        ("last", [1, 2, 2, 2, 2]),
        ("cycle", [1, 2, 1, 2, 1]),
    ],
)
def test_what_was_all_played_is_repeated_as_the_session_says(
    repeats: Repeats, expected: list[int]
) -> None:
    one = player("GET /a", "GET /a", repeats=repeats)
    assert [played(one, "GET /a") for _ in expected] == expected


def test_what_is_repeated_says_so() -> None:
    one = player("GET /a", repeats="last")
    found = [one.play(request("GET /a")) for _ in range(2)]
    assert [isinstance(each, PlayedMatch) and each.again for each in found] == [False, True]


@pytest.mark.parametrize("repeats", ["reads", "once", "last", "cycle"])
def test_a_read_after_a_write_is_never_the_one_before_it(repeats: Repeats) -> None:
    one = player(READ, WRITE, READ, repeats=repeats)
    assert [played(one, word) for word in (READ, WRITE, READ)] == [1, 2, 3]
    two = player(READ, WRITE, READ, repeats=repeats)
    assert [played(two, word) for word in (WRITE, READ)] == [2, 3]
    three = player(READ, WRITE, repeats=repeats)
    assert [played(three, word) for word in (READ, WRITE, READ)] == [1, 2, 0]


@pytest.mark.parametrize(("repeats", "expected"), [("once", 0), ("last", 1), ("cycle", 1)])
def test_a_read_before_a_write_is_never_the_one_after_it(repeats: Repeats, expected: int) -> None:
    one = player(READ, WRITE, READ, repeats=repeats)
    assert [played(one, word) for word in (READ, READ, WRITE, READ)] == [1, expected, 2, 3]


def test_a_cycle_goes_round_on_one_side_of_a_write() -> None:
    one = player(READ, READ, WRITE, READ, READ, repeats="cycle")
    assert [played(one, READ) for _ in range(3)] == [1, 2, 1]
    assert [played(one, word) for word in (WRITE, READ, READ, READ)] == [3, 4, 5, 4]


def test_a_write_that_was_refused_is_no_barrier() -> None:
    found = cassette([READ, WRITE, READ]).interactions
    refused = (found[0], interaction(WRITE, "no", 403), found[2])
    one = Player([IndexedCassette.of(Cassette("c.yaml", refused))], repeats="once")
    assert [played(one, READ) for _ in range(2)] == [1, 3]


@pytest.mark.parametrize("order", list(permutations(range(3))), ids=str)
def test_requests_about_other_resources_come_in_any_order(order: tuple[int, ...]) -> None:
    flows = [[f"GET /r{n}/x", f"POST /r{n}/x", f"GET /r{n}/x"] for n in range(3)]
    one = player(*(word for flow in flows for word in flow))
    for number in order:
        assert [played(one, word) for word in flows[number]] == [number * 3 + n for n in (1, 2, 3)]


def test_an_earlier_cassette_answers_first_and_then_the_later() -> None:
    tapes = [
        IndexedCassette.of(cassette(["GET /a"], name=name)) for name in ("one.yaml", "two.yaml")
    ]
    one = Player(tapes, repeats="cycle")
    found = [one.play(request("GET /a")) for _ in range(3)]
    names = [each.tape for each in found if isinstance(each, PlayedMatch)]
    assert names == ["one.yaml", "two.yaml", "one.yaml"]


def test_sessions_do_not_know_each_other() -> None:
    tape = IndexedCassette.of(cassette([READ, WRITE, READ]))
    players = [Player([tape], repeats="once") for _ in range(8)]
    for word, number in ((READ, 1), (WRITE, 2), (READ, 3), (READ, 0)):
        assert [played(each, word) for each in players] == [number] * 8


def test_a_client_that_no_longer_writes_reads_on_with_a_warning() -> None:
    one = player(READ, WRITE, READ, "GET /users/ann/keys", "GET /groups", barriers="warn")
    found = [one.play(request(word)) for word in ("GET /groups", "GET /users/ann/keys", READ)]
    assert [each.number for each in found if isinstance(each, PlayedMatch)] == [5, 4, 3]
    warning = "recorded after PUT https://api.example.com/users/ann (#2 of c.yaml),"
    warnings = [each.warning for each in found if isinstance(each, PlayedMatch)]
    assert warnings == ["", *[f"{warning} which this session has not made"] * 2]


def test_a_write_that_comes_late_ends_the_warning() -> None:
    one = player(WRITE, READ, READ, barriers="warn")
    found = [one.play(request(word)) for word in (READ, WRITE, READ)]
    assert [each.number for each in found if isinstance(each, PlayedMatch)] == [2, 1, 3]
    assert [bool(each.warning) for each in found if isinstance(each, PlayedMatch)] == [
        True,
        False,
        False,
    ]


@pytest.mark.parametrize("repeats", ["reads", "once", "last", "cycle"])
def test_a_read_from_before_a_write_never_answers_after_it_unless_writes_do_not_count(
    repeats: Repeats,
) -> None:
    expected: dict[Barriers, int] = {"strict": 0, "warn": 0, "off": 1}
    for barriers, number in expected.items():
        one = player(READ, WRITE, repeats=repeats, barriers=barriers)
        assert [played(one, word) for word in (WRITE, READ)] == [2, number]


def test_without_barriers_reads_come_in_recorded_order() -> None:
    one = player(READ, WRITE, READ, barriers="off")
    assert [played(one, word) for word in (READ, READ, READ, WRITE)] == [1, 3, 0, 2]


ASK = 'POST /ask {"id": "1", "tags": ["a", "b"]}'
SAME = 'POST /ask {"id": "2", "tags": ["b", "a"], "note": null}'


@pytest.mark.parametrize(
    ("match", "parts", "answered"),
    [
        (None, (), False),
        (Match(ignore=("/body/id",)), (), False),
        (Match(ignore=("/body/id",), null_is_absent=True, any_order=("/body/tags",)), (), True),
        (Match(parts=("method", "path")), (), True),
        (None, ("method", "host", "path", "query"), True),
        (None, ("method", "body"), False),
    ],
    ids=["all", "ids", "fields", "parts", "session", "body"],
)
def test_requests_are_compared_as_the_cassette_and_the_session_say(
    match: Match | None, parts: tuple[MatchPart, ...], answered: bool
) -> None:
    tape = replace(cassette([ASK]), info=CassetteInfo(match=match))
    found = Player([IndexedCassette.of(tape)], match=parts).play(request(SAME))
    assert isinstance(found, PlayedMatch) == answered
    assert not answered or (isinstance(found, PlayedMatch) and found.loosened)


def test_among_recordings_that_are_alike_the_equal_one_comes_first() -> None:
    words = ['POST /ask {"id": "1"}', 'POST /ask {"id": "2"}', 'POST /ask {"id": "3"}']
    tape = replace(cassette(words), info=CassetteInfo(match=Match(ignore=("/body/id",))))
    one = Player([IndexedCassette.of(tape)])
    asked = [words[1], 'POST /ask {"id": "9"}', words[0], words[0]]
    found = [one.play(request(word)) for word in asked]
    assert [each.number for each in found if isinstance(each, PlayedMatch)] == [2, 1, 3]
    assert [each.loosened for each in found if isinstance(each, PlayedMatch)] == [False, True, True]


def test_a_reading_comes_again_where_requests_are_compared_by_less() -> None:
    one = Player(
        [IndexedCassette.of(cassette(["GET /a?x=1", "GET /a?x=2"]))], match=("method", "path")
    )
    assert [played(one, f"GET /a?x={each}") for each in (2, 7, 8, 9)] == [2, 1, 1, 1]


def test_a_miss_names_only_what_is_compared() -> None:
    found = Player([IndexedCassette.of(cassette(["GET /a?x=1"]))], match=("method", "path"))
    missed = found.play(request("PUT /a?x=2"))
    assert isinstance(missed, NoMatch)
    assert missed.differs == ("method",)


def test_what_was_not_played_is_listed() -> None:
    one = player(READ, WRITE, "GET /b")
    played(one, WRITE)
    assert [(each.number, each.method, each.passed) for each in one.unused()] == [
        (1, "GET", True), (3, "GET", False),
    ]  # fmt: skip


def test_times_that_reckon_from_now_find_their_recordings_in_order() -> None:
    url = "https://monitoring.googleapis.com/v3/projects/p/timeSeries?interval.endTime=2026-11-2"
    recorded = [RecordedRequest("GET", f"{url}{day}T00:00:00Z") for day in (0, 1)]
    found = tuple(Interaction(each, RecordedResponse(200)) for each in recorded)
    one = Player([IndexedCassette.of(Cassette("c.yaml", found))], repeats="once")
    later = RecordedRequest("GET", f"{url}9T00:00:00Z")
    answers = [one.play(each) for each in (recorded[1], later, later)]
    assert [each.number if isinstance(each, PlayedMatch) else 0 for each in answers] == [2, 1, 0]


def test_a_player_without_cassettes_plays_nothing() -> None:
    assert isinstance(Player([]).play(request("GET /a")), NoMatch)
    assert Player([]).unused() == ()


def test_a_request_with_its_keys_need_not_be_read_again() -> None:
    tape = IndexedCassette.of(cassette([READ]))
    found = Player([tape]).play(tape.keyer.of(request(READ)))
    assert isinstance(found, PlayedMatch)


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_a_shipped_cassette_is_played_whole_in_recorded_order(path: Path) -> None:
    redactor = Redactor(RuleSet.default(), b"a key")
    found = read_cassette(path)
    tape = IndexedCassette.of(found, redactor=redactor)
    one = Player([tape])
    answers = [one.play(redactor.redact_request(each.request)) for each in found.interactions]
    assert [each.interaction for each in answers if isinstance(each, PlayedMatch)] == list(
        found.interactions
    )
    assert one.unused() == ()


WORDS = [
    f"{method} /{path}{body}"
    for path in ("a", "a/1", "a/2", "b")
    for method, body in (("GET", ""), ("GET", "?x=1"), ("PUT", ' {"v": 1}'), ("DELETE", ""))
]
STORIES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=12)


@given(STORIES)
def test_in_recorded_order_everything_is_played(story: list[str]) -> None:
    one = player(*story)
    assert [played(one, word) for word in story] == list(range(1, len(story) + 1))
    assert one.unused() == ()


@given(STORIES, st.randoms())
def test_shuffled_across_resources_every_request_has_its_answer(
    story: list[str], random: Random
) -> None:
    by_root = {root: [word for word in story if word.split("/")[1][:1] == root] for root in "ab"}
    straight = {root: Player([IndexedCassette.of(cassette(story))]) for root in by_root}
    expected = {
        root: [played(straight[root], word) for word in words] for root, words in by_root.items()
    }
    one = player(*story)
    found: dict[str, list[int]] = {"a": [], "b": []}
    left = {root: list(words) for root, words in by_root.items()}
    while any(left.values()):
        root = random.choice([root for root, words in left.items() if words])
        found[root].append(played(one, left[root].pop(0)))
    assert found == expected
    assert 0 not in found["a"] + found["b"]


class Sessions(RuleBasedStateMachine):
    """Whatever is asked in whatever order, no recording is played twice and no read is stale."""

    @initialize(story=STORIES)
    def record(self, story: list[str]) -> None:
        self.tape = IndexedCassette.of(cassette(story))
        self.effects: list[Effect] = [effect_of(canonical(request(word))) for word in story]
        self.words = story
        self.one, self.other = (
            Player([self.tape], repeats="once", barriers="strict") for _ in range(2)
        )
        self.played: list[int] = []

    @rule(word=st.sampled_from(WORDS))
    def ask(self, word: str) -> None:
        number = played(self.one, word)
        if number:
            self._check(number - 1, word)
            self.played.append(number - 1)

    @rule(word=st.sampled_from(WORDS))
    def another_session_asks(self, word: str) -> None:
        played(self.other, word)

    @invariant()
    def each_is_played_once_and_the_rest_is_unused(self) -> None:
        assert len(set(self.played)) == len(self.played)
        unused = {each.number - 1 for each in self.one.unused()}
        assert unused == set(range(len(self.words))) - set(self.played)

    def _check(self, place: int, word: str) -> None:
        assert self.words[place] == word
        effect = self.effects[place]
        if not effect.reads:
            return
        for other, each in enumerate(self.effects):
            if not each.reads and is_related(each.scopes[0], effect.scopes[0]):
                assert (other < place) == (other in self.played)


Sessions.TestCase.settings = settings(max_examples=40, stateful_step_count=15, deadline=None)
TestSessions = Sessions.TestCase


@pytest.mark.parametrize(
    "result",
    [
        NoMatch("no recording matches this request"),
        UnplayedRecording("c.yaml", 1, "GET", "https://api.example.com/a"),
        Conflict("GET", "https://api.example.com/a", ("a.yaml", 1), ("b.yaml", 1)),
    ],
    ids=["unmatched", "unused", "conflict"],
)
def test_a_result_is_a_value(result: object) -> None:
    with pytest.raises((FrozenInstanceError, TypeError)):
        result.reason = "x"  # type: ignore[attr-defined]


ANN = "https://api.example.com/users/ann"


def missed(player: Player, word: str) -> NoMatch:
    found = player.play(request(word))
    assert isinstance(found, NoMatch)
    return found


def test_a_request_without_recordings_names_the_nearest_and_in_what_it_differs() -> None:
    tapes = [
        IndexedCassette.of(cassette(["GET /groups"], name="a.yaml")),
        IndexedCassette.of(cassette(["GET /x", "GET /users/ann?a=1"], name="b.yaml")),
        IndexedCassette.of(Cassette("c.yaml", ())),
    ]
    assert missed(Player(tapes), "GET /users/ann?a=2") == NoMatch(
        "no recording matches this request",
        f"GET {ANN}?a=1 (#2 of b.yaml)",
        ("query.a",),
        "b.yaml",
        2,
    )


def test_recordings_that_were_all_played_are_told() -> None:
    player = Player([IndexedCassette.of(cassette(["GET /users/ann"]))], repeats="once")
    player.play(request("GET /users/ann"))
    found = missed(player, "GET /users/ann")
    assert found.reason == "every recording of this request has been played"
    assert found.nearest == f"GET {ANN} (#1 of c.yaml)"


def test_a_read_that_waits_for_a_write_names_it() -> None:
    tape = IndexedCassette.of(cassette(["DELETE /users/ann", "GET /users/ann"]))
    player = Player([tape], barriers="strict")
    assert missed(player, "GET /users/ann").reason == (
        "the recording that is left was made after"
        f" DELETE {ANN} (#1 of c.yaml), which has not been played yet"
    )


def test_a_read_that_a_write_passed_names_it() -> None:
    player = Player([IndexedCassette.of(cassette(["GET /users/ann", "DELETE /users/ann"]))])
    player.play(request("DELETE /users/ann"))
    assert missed(player, "GET /users/ann").reason == (
        f"the recording that is left was made before DELETE {ANN} (#2 of c.yaml),"
        " which has been played"
    )


def _scrub(text: str) -> str:
    for name in ("user-k1", "user-k2", "user-k3"):
        text = text.replace(name, "<user>")
    return text


def _foreign(*words: str, match: tuple[MatchPart, ...] = ()) -> Player:
    keyer = RequestKeys(Numbering("k3"), scrubs=Scrubs(pseudonyms=_scrub))
    return Player([IndexedCassette(cassette(words, key_id="k1"), keyer)], match=match)


@pytest.mark.parametrize("match", [(), ("method", "host", "path"), ("method",)])
def test_a_cassette_of_another_key_answers_by_kind_and_says_so(
    match: tuple[MatchPart, ...],
) -> None:
    player = _foreign("GET /user-k1/a", "GET /plain", match=match)
    found = player.play(request("GET /user-k3/a"))
    assert isinstance(found, PlayedMatch)
    assert found.by_kind
    plain = player.play(request("GET /plain"))
    assert isinstance(plain, PlayedMatch)
    assert not plain.by_kind


def test_what_was_learned_since_hides_no_recording_that_is_known_as_it_came() -> None:
    keyer = RequestKeys(Learning())
    tape = IndexedCassette(cassette(["GET /user-1/a"]), keyer)
    keyer.of(request("GET /a?secret=user-1"))
    asked = keyer.of(request("GET /user-1/a"))
    assert asked.request.url.endswith("/redacted/a")
    assert isinstance(Player([tape]).play(asked), PlayedMatch)


class Learning:
    """Replaces what an earlier request has told to be a secret."""

    key_id = "k"

    def __init__(self) -> None:
        self._known: list[str] = []

    def pseudonym(self, kind: str, value: str) -> str:
        return value

    def redact_request(self, asked: RecordedRequest) -> RecordedRequest:
        _, told, secret = asked.url.partition("secret=")
        self._known += [secret] if told else []
        url = asked.url
        for known in self._known:
            url = url.replace(known, "redacted")
        return replace(asked, url=url)


def test_a_cassette_of_another_key_that_could_mean_several_names_the_key() -> None:
    found = missed(_foreign("GET /user-k1/a", "GET /user-k2/a"), "GET /user-k3/a")
    assert "another redaction key made (k1, ours is k3)" in found.reason
    assert "MOCKSERVER_REDACTION_KEY" in found.reason
    assert found.differs == ("path segment 1",)
