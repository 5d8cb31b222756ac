import codecs
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.agents import AgentFailedError
from harness.agents.sse import EventReader

STREAM = codecs.BOM_UTF8 + (
    "data: one\r\n\r\n: comment\n\nevent: x\nid: 7\ndata: two\ndata:  three\n\ndata: täil".encode()
)
EVENTS = [(1, "one"), (7, "two\n three"), (10, "täil")]


def read(*chunks: bytes) -> list[tuple[int, str]]:
    reader = EventReader(1000)
    events = [event for chunk in chunks for event in reader.feed(chunk)]
    return [*events, *reader.end()]


@given(st.lists(st.integers(0, len(STREAM)), max_size=8).map(sorted))
def test_events_do_not_depend_on_how_the_stream_is_cut(cuts: list[int]) -> None:
    bounds = [0, *cuts, len(STREAM)]
    assert read(*(STREAM[a:b] for a, b in itertools.pairwise(bounds))) == EVENTS


@pytest.mark.parametrize(
    ("stream", "said"),
    [
        pytest.param(b"data: ok\n\n<html>\n", "line 3 starts with '<html>'", id="no field"),
        pytest.param(b"data: ok\ndata: \xff\n", "line 2 is not UTF-8", id="no text"),
        pytest.param(b"data: ok\n" + b"x" * 1001, "line 2 has no end", id="endless line"),
    ],
)
def test_a_malformed_stream_is_refused_with_its_place(stream: bytes, said: str) -> None:
    with pytest.raises(AgentFailedError, match=said):
        read(stream)
