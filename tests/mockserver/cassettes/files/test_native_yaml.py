import pytest

from mockserver.cassettes.files import interaction_block
from mockserver.cassettes.files.native_yaml import head_and_rest, read_interactions
from mockserver.model import Interaction, RecordedRequest, RecordedResponse

ONE = Interaction(
    RecordedRequest("GET", "https://example.com/", (("A", "1"), ("B", "2"))),
    RecordedResponse(200, "OK", (("A", "1"),), b"a\nb\n"),
    duration_ms=2.5,
)
TEXT = interaction_block(ONE).decode()


def test_what_we_wrote_is_read() -> None:
    assert read_interactions(TEXT * 2, 0) == (ONE, ONE)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("      B:", "      A:"),
        ("      A:\n", ""),
        ("      - '2'\n", ""),
        ("      B:\n", "      B\n"),
        ("uri: https", "uri: 'https"),
        ("|\n", ">\n"),
        ("code: 200", "code: 0200"),
        ("duration_ms: 2.5", "duration_ms: 2.5e0"),
        ("duration_ms: 2.5", "duration_ms: 2.5\n    duration_ms: 2.5"),
        ("duration_ms: 2.5", "duration_ms:"),
        ("duration_ms: 2.5", "chunks: [[1,2]"),
        ("duration_ms: 2.5", "mood: [1]"),
        ("duration_ms: 2.5", "at: 12"),
        ("complete", "complete # really"),
        ("body: null", "body: ~"),
        ("body: null", "body: !!binary |\n        é"),
        ("        a\n", "         a\n"),
        ("        a\n", "        a\x85\n"),
        ("  recorded:", "  # by hand\n  recorded:"),
    ],
)
def test_any_other_writing_is_left_to_a_yaml_reader(old: str, new: str) -> None:
    assert old in TEXT
    assert read_interactions(TEXT.replace(old, new, 1), 0) is None


@pytest.mark.parametrize(
    "text",
    ["", "version: 1\n", "# a\nversion: 1\ninteractions:\n", "version: 1\ninteractions: []\n"],
)
def test_what_begins_otherwise_is_not_ours(text: str) -> None:
    assert head_and_rest(text) is None
