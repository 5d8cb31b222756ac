from dataclasses import replace

from mockserver.cassettes.replay import Keyer, Played, Player, Scrubs, Tape, Unmatched
from mockserver.model import Cassette, RecordedRequest
from tests.mockserver.cassettes.replay.recordings import cassette, request
from tests.mockserver.cassettes.replay.test_tapes import Numbering

ANN = "https://api.example.com/users/ann"


def missed(player: Player, word: str) -> Unmatched:
    found = player.play(request(word))
    assert isinstance(found, Unmatched)
    return found


def test_a_request_without_recordings_names_the_nearest_and_in_what_it_differs() -> None:
    tapes = [
        Tape.of(cassette(["GET /groups"], name="a.yaml")),
        Tape.of(cassette(["GET /x", "GET /users/ann?a=1"], name="b.yaml")),
        Tape.of(Cassette("c.yaml", ())),
    ]
    assert missed(Player(tapes), "GET /users/ann?a=2") == Unmatched(
        "no recording matches this request",
        f"GET {ANN}?a=1 (#2 of b.yaml)",
        ("query.a",),
        "b.yaml",
        2,
    )


def test_recordings_that_were_all_played_are_told() -> None:
    player = Player([Tape.of(cassette(["GET /users/ann"]))], repeats="once")
    player.play(request("GET /users/ann"))
    found = missed(player, "GET /users/ann")
    assert found.reason == "every recording of this request has been played"
    assert found.nearest == f"GET {ANN} (#1 of c.yaml)"


def test_a_read_that_waits_for_a_write_names_it() -> None:
    tape = Tape.of(cassette(["DELETE /users/ann", "GET /users/ann"]))
    player = Player([tape], barriers="strict")
    assert missed(player, "GET /users/ann").reason == (
        "the recording that is left was made after"
        f" DELETE {ANN} (#1 of c.yaml), which has not been played yet"
    )


def test_a_read_that_a_write_passed_names_it() -> None:
    player = Player([Tape.of(cassette(["GET /users/ann", "DELETE /users/ann"]))])
    player.play(request("DELETE /users/ann"))
    assert missed(player, "GET /users/ann").reason == (
        f"the recording that is left was made before DELETE {ANN} (#2 of c.yaml),"
        " which has been played"
    )


def _scrub(text: str) -> str:
    for name in ("user-k1", "user-k2", "user-k3"):
        text = text.replace(name, "<user>")
    return text


def _foreign(*words: str) -> Player:
    keyer = Keyer(Numbering("k3"), scrubs=Scrubs(pseudonyms=_scrub))
    return Player([Tape(cassette(words, key_id="k1"), keyer)])


def test_a_cassette_of_another_key_answers_by_kind_and_says_so() -> None:
    player = _foreign("GET /user-k1/a", "GET /plain")
    found = player.play(request("GET /user-k3/a"))
    assert isinstance(found, Played)
    assert found.by_kind
    plain = player.play(request("GET /plain"))
    assert isinstance(plain, Played)
    assert not plain.by_kind


def test_what_was_learned_since_hides_no_recording_that_is_known_as_it_came() -> None:
    keyer = Keyer(Learning())
    tape = Tape(cassette(["GET /user-1/a"]), keyer)
    keyer.of(request("GET /a?secret=user-1"))
    asked = keyer.of(request("GET /user-1/a"))
    assert asked.request.url.endswith("/redacted/a")
    assert isinstance(Player([tape]).play(asked), Played)


class Learning:
    """Replaces what an earlier request has told to be a secret."""

    key_id = "k"

    def __init__(self) -> None:
        self._known: list[str] = []

    def request(self, asked: RecordedRequest) -> RecordedRequest:
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
