"""Strategies for cassettes: what is hard to write in YAML and to read back, and nothing easy."""

from hypothesis import strategies as st

from mockserver.model import (
    MATCH_PARTS,
    Cassette,
    CassetteInfo,
    Chunk,
    Interaction,
    Match,
    RecordedRequest,
    RecordedResponse,
)

_PIECES = (
    "a", "yes", "null", "~", "12", "1.10", "0x1F", "2026-01-01", "12:30:00", "é", "\U0001f600", " ",
    "  ", ": ", ":", " #", "#", "- ", "-", "? ", "'", "''", '"', '\\"', "\\", "\\n", "{", "}", "[",
    "]", ",", "&a", "*a", "!!str ", "|", ">", "%", "@", "`", "\t", "\r", "\u0085", "\u2028",
    "\ufeff", "\x7f", "\ufffe", "\xa0", "---", "...", "<<", "=", '{"a":1,"b":["x","y"]}',
)  # fmt: skip
_LINES = ("\n", "\n\n", "\r\n", "\n ", "\n\t", " \n", "data: {}\n\n", "--b\r\n", "x" * 120)
NAMES = st.sampled_from(
    ["Set-Cookie", "set-cookie", "Accept", "X-12", "12", "yes", "a:b", "- a", "'", ""]
)


def texts(*, lines: bool = False) -> st.SearchStrategy[str]:
    """Texts made of what YAML takes for something else."""
    pieces = st.sampled_from(_PIECES + (_LINES if lines else ()))
    return st.lists(pieces, max_size=8).map("".join)


BODIES = st.one_of(
    texts(lines=True).map(str.encode),
    st.binary(max_size=80),
    st.sampled_from([b"", b"\x00", b"a\n", b"\n", b" a\nb", b"\ta\nb", b"a\nb\n\n", b'"\n\\\n']),
)
HEADERS = st.lists(st.tuples(NAMES, texts()), max_size=5).map(tuple)
_REQUESTS = st.builds(
    RecordedRequest,
    st.sampled_from(["GET", "POST", "N"]),
    texts().map("https://h/".__add__),
    HEADERS,
    BODIES,
    st.sampled_from(["", "gzip"]),
)


@st.composite
def responses(draw: st.DrawFn) -> RecordedResponse:
    """Responses, some of them streamed."""
    body = draw(BODIES)
    cut = draw(st.integers(0, len(body)))
    chunks = (Chunk(0.0, cut), Chunk(7.125, len(body) - cut)) if draw(st.booleans()) else ()
    return RecordedResponse(
        draw(st.sampled_from([0, 200, 404, 999])),
        draw(texts()),
        draw(HEADERS),
        body,
        draw(st.sampled_from(["", "gzip;level=6;head=00000000ff03"])),
        chunks,
        draw(st.sampled_from(["complete", "reset", "timeout", "short"])),
    )


INTERACTIONS = st.builds(
    Interaction,
    _REQUESTS,
    responses(),
    st.sampled_from(["", "2026-01-01T00:00:00Z"]),
    st.sampled_from([0.0, 0.001, 12.5, 86_400_000.0]),
    st.sampled_from(["", "directory.users.list"]),
)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-99, 99) | st.sampled_from([1e16, 1e-7, 0.5]) | texts(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts(), inner, max_size=3),
    max_leaves=8,
)
INFOS = st.builds(
    CassetteInfo,
    recorded_at=st.sampled_from(["", "2026-01-01T00:00:00Z"]),
    recorded_by=texts(),
    key_id=st.sampled_from(["", "00000000", "12345678"]),
    upstream=texts(),
    revisions=st.dictionaries(texts(), texts(), max_size=2),
    plan=st.dictionaries(texts(), _JSON, max_size=3),
    extra=st.dictionaries(texts(), _JSON, max_size=2),
    match=st.none()
    | st.builds(
        Match,
        parts=st.sampled_from([MATCH_PARTS, ("method", "path")]),
        ignore=st.sampled_from([("/body/a",), ("/query/*", "/body/a~1b/0")]),
        null_is_absent=st.booleans(),
        any_order=st.sampled_from([(), ("/body/a",)]),
    ),
)
CASSETTES = st.builds(
    Cassette, st.just("tape.yaml"), st.lists(INTERACTIONS, max_size=3).map(tuple), INFOS
)
