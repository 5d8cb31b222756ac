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


def test_ids_are_the_same_in_every_release() -> None:
    ids = Ids(7)
    made = [(ids.hex("a", 8), ids.digits("b", 6), ids.digits("c", 1), ids.base36("e", 7),
             ids.uuid("f")) for _ in range(2)]  # fmt: skip
    assert made == [
        ("96150950", "173790", "6", "jow36p7", "2b4bed62-0aec-4687-a7df-0badebdd8971"),
        ("d48a5ad4", "799911", "6", "vbxfy0a", "02cba345-d2d7-460c-ad7e-b6845617d1e1"),
    ]
    assert (fixed_digits("a", 12), fixed_base36("a", 9)) == ("891634880152", "758eg6057")
    assert Ids(16).digits("d", 19) == "8690001512353530283"  # the 9 would be too much for 64 bits
