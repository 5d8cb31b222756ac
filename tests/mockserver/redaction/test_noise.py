"""Noise out of a key."""

from hypothesis import given
from hypothesis import strategies as st

from mockserver.redaction.pseudonyms import derive_key, key_id, keyed_noise

KEY = derive_key(b"k")


@given(st.text(), st.integers(1, 10**40))
def test_noise_repeats_and_stays_below_its_limit(value: str, limit: int) -> None:
    one, other = keyed_noise(KEY, "kind", value), keyed_noise(KEY, "kind", value)
    drawn = [one.below(limit) for _ in range(20)]
    assert drawn == [other.below(limit) for _ in range(20)]
    assert all(0 <= number < limit for number in drawn)


def test_kind_and_key_make_other_noise() -> None:
    made = {keyed_noise(KEY, "a", "v").hex(16), keyed_noise(KEY, "b", "v").hex(16)}
    made.add(keyed_noise(derive_key(b"other"), "a", "v").hex(16))
    assert len(made) == 3


def test_pieces_have_their_length() -> None:
    one = keyed_noise(KEY, "a", "v")
    assert [len(one.hex(9)), len(one.digits(7)), len(one.base36(5)), len(one.word(4))] == [
        9, 7, 5, 8,
    ]  # fmt: skip
    assert one.digits(0) == ""


def test_a_key_of_any_length_is_told_by_eight_digits() -> None:
    assert len(key_id(b"")) == len(key_id(b"x" * 999)) == 8
    assert key_id(b"a") != key_id(b"b")
