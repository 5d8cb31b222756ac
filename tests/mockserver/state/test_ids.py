from hypothesis import given
from hypothesis import strategies as st

from mockserver.state import Ids, fixed_base36, fixed_digits


@given(st.integers(), st.integers(1, 30))
def test_the_same_seed_gives_the_same_ids(seed: int, length: int) -> None:
    one, other = Ids(seed), Ids(seed)
    for _ in range(3):
        assert one.digits("user", length) == other.digits("user", length)
        assert one.base36("unit", length) == other.base36("unit", length)


def test_ids_of_a_kind_never_repeat_and_kinds_do_not_disturb_each_other() -> None:
    ids = Ids(1)
    alone = [Ids(1).hex("a", 16)]
    ids.hex("b", 16)
    assert [ids.hex("a", 16)] == alone
    assert len({ids.hex("a", 16) for _ in range(1000)}) == 1000


def test_ids_have_the_asked_shape() -> None:
    ids = Ids(3)
    assert len(ids.digits("user", 21)) == 21
    assert ids.digits("user", 21)[0] != "0"
    assert [len(ids.digits("short", length)) for length in (1, 2, 3)] == [1, 2, 3]
    assert ids.uuid("token")[14] == "4"
    assert len(ids.uuid("token")) == 36


def test_fixed_ids_belong_to_their_names() -> None:
    assert fixed_digits("a", 21) == fixed_digits("a", 21) != fixed_digits("b", 21)
    assert fixed_base36("a", 14) == fixed_base36("a", 14) != fixed_base36("b", 14)
    assert len(fixed_digits("a", 21)) == 21
    assert fixed_digits("a", 1) != "0"
