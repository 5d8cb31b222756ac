import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.checks.grounding import occurs, quotations, texts_of
from harness.model import QuotedKind

ALL: tuple[QuotedKind, ...] = ("email", "address", "uuid", "id", "code")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Ask ann.lee+x@mail.example.com.", ["ann.lee+x@mail.example.com"]),
        ("From 192.0.2.17 and 2001:db8:0:1::5.", ["192.0.2.17", "2001:db8:0:1::5"]),
        ("Id 3f2504e0-4f89-11d3-9a0c-0305e82c3301!", ["3f2504e0-4f89-11d3-9a0c-0305e82c3301"]),
        ("Unit id:03ph8a2z1x of C0123abcd", ["03ph8a2z1x", "C0123abcd"]),
        ("Ticket HD-17, rule dlp-9f8e7d.", ["HD-17", "dlp-9f8e7d"]),
        ("It says POLICY_LIMIT and E_404.", ["POLICY_LIMIT", "E_404"]),
        ("Step-2 of 3 took 100ms, 64KiB, at v1.2; top10, IPv4, UTF-8.", []),
        ("On 2026-11-20T09:00:00Z, or 2026-11-20 09:00:00.", []),
        ("C0123abcd and C0123abcd", ["C0123abcd"]),
        ("", []),
    ],
)
def test_quotations_are_found(text: str, found: list[str]) -> None:
    assert quotations(text, ALL, ()) == found


def test_only_the_kinds_that_are_asked_for_count() -> None:
    text = "ann1234@example.com has POLICY_LIMIT"
    assert quotations(text, ["id"], ()) == []
    assert quotations(text, ["code"], ()) == ["POLICY_LIMIT"]
    assert quotations("build 4711", [], [r"\d{4}"]) == ["4711"]


@pytest.mark.parametrize(
    ("piece", "text", "there"),
    [
        ("C01abc", "customer c01abc.", True),
        ("C01abc", "customer c01abcd", False),
        ("C01abc", "xc01abc c01abc", True),
        ("C01abc", "xc01abc", False),
        ("/Sales", "/sales/field", True),
    ],
)
def test_a_piece_stands_by_itself(piece: str, text: str, there: bool) -> None:
    assert occurs(piece, text) is there


def test_keys_and_values_are_texts() -> None:
    texts = texts_of({"id7": [{"n": 1}, None, "x"]})
    assert sorted(texts) == ["1", "id7", "n", "x"]


@given(st.text(alphabet="aC0_-@. 1:", max_size=40))
def test_what_is_found_stands_in_the_text(text: str) -> None:
    for piece in quotations(text, ALL, ()):
        assert piece in text
        assert piece.strip()
