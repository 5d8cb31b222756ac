"""What a program makes anew in each run, in texts for models."""

import string
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.cassettes.matching.varying import mask_varying, varied_values, varying_in


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("run 3f2504e0-4f89-41d3-9a0c-0305e82c3301.", "run <id>."),
        ("run 12345678-4f89-41d3-9a0c-0305e82c3301.", "run <id>."),
        ("01ARZ3NDEKTSV4RRFFQ69G5FAV", "<id>"),
        ("V1StGXR8_Z5jdHi6B-myT", "<id>"),
        ("thread_a8Kd93ldk2Zx", "thread_<id>"),
        ("job-3f9a1c2b", "job-<id>"),
        ("/tmp/tmpab12cd_9/a.txt", "tmp<temporary path>/a.txt"),
        ("/tmp/agent-ab_2cd9x/a.txt", "agent-<temporary path>/a.txt"),
        ("/private/var/folders/ab/x1/T/tmpq1w2e3r4.csv", "tmp<temporary path>.csv"),
        ("/tmp/pytest-of-ann/pytest-12/test_a0", "<temporary path>/test_a0"),
        (r"C:\Users\ann\AppData\Local\Temp\tmpx1y2z3a4\f", r"tmp<temporary path>\f"),
        ("/home/ann/work, /Users/bob.", "<home folder>/work, <home folder>."),
        ("http://localhost:50123/a", "http://localhost<port>/a"),
        ("Hostname: build-7.example.com", "Hostname: <host name>"),
        ("Run 17, pid=4711", "Run <number of a run>, pid=<number of a run>"),
        ("/tmp/orders.csv", "/tmp/orders.csv"),
        ("order 17, 30 EUR, example.com:8080", "order 17, 30 EUR, example.com:8080"),
    ],
)  # fmt: skip
def test_values_are_masked_by_their_kind(text: str, masked: str) -> None:
    assert mask_varying({"a": [text]}) == {"a": [masked]}


@pytest.mark.parametrize(
    ("recorded", "asked"),
    [
        ("Refund order 10000001.", "Refund order 10000002."),
        ("Call list_customers.", "Call list_invoices."),
        ("Call read_customers2.", "Call read_customers3."),
        ("Read /tmp/agent-reports.", "Read /tmp/agent-invoices."),
        ("In deadbeef.", "In cafebabe."),
        ("1a2b3c4d and 1a2b3c4d", "5e6f7a8b and 9c0d1e2f"),
        ("1a2b3c4d and 5e6f7a8b", "9c0d1e2f and 9c0d1e2f"),
        ("1a2b3c4d", "1a2b3c4d and 5e6f7a8b"),
    ],
)
def test_what_means_something_is_no_change_of_the_run(recorded: str, asked: str) -> None:
    assert varied_values(recorded, asked) is None


def test_what_an_answer_told_may_be_said_again() -> None:
    made = varied_values("In 1a2b3c4d. Saved to 1a2b3c4d.", "In 5e6f7a8b. Saved to 1a2b3c4d.")
    assert made is not None
    assert made["1a2b3c4d"].text == "5e6f7a8b"


def test_the_text_of_an_image_takes_no_time() -> None:
    begun = time.process_time()
    assert mask_varying("/9j+" * 1_000_000) == "/9j+" * 1_000_000
    assert varying_in("/9j+" * 1_000_000) == ()
    assert time.process_time() - begun < 1


TEMPORARY = st.text(string.ascii_lowercase + string.digits + "_", min_size=7, max_size=7)
SHAPES = (
    st.uuids().map(str),
    st.uuids().map(lambda each: each.hex),
    st.text("0123456789ABCDEFGHJKMNPQRSTVWXYZ", min_size=25, max_size=25).map("0{}".format),
    TEMPORARY.map("/tmp/agent-{}1/out.txt".format),
    st.text("0123456789abcdef", min_size=6, max_size=30).map("a1{}".format),
    st.integers(1024, 65535).map("127.0.0.1:{}".format),
    st.integers(0, 10**9).map("run #{}".format),
)
PAIRS = st.sampled_from(SHAPES).flatmap(lambda shape: st.tuples(shape, shape))
WORDS = st.text(string.ascii_letters + " ,.;\n", max_size=20).map(" {} ".format)


@given(st.lists(st.tuples(WORDS, PAIRS), min_size=1, max_size=6))
def test_ids_that_stand_for_one_another_are_found_and_no_others(
    parts: list[tuple[str, tuple[str, str]]],
) -> None:
    recorded = "".join(word + old for word, (old, _) in parts)
    asked = "".join(word + new for word, (_, new) in parts)
    assert mask_varying(recorded) == mask_varying(asked)
    pairs = {pair for _, pair in parts}
    one_to_one = len(pairs) == len({old for old, _ in pairs}) == len({new for _, new in pairs})
    found = varied_values(recorded, asked)
    assert (found is not None) or not one_to_one
    if found is not None:
        changed = {old for old, new in pairs if old != new}
        assert len({each.text for each in found.values()}) == len(found) <= len(changed)
        assert bool(found) is bool(changed)


@given(st.text())
def test_the_same_text_has_no_change(text: str) -> None:
    assert varied_values(text, text) == {}
