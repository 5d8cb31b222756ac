from hypothesis import given
from hypothesis import strategies as st

from mockserver.messages import header, header_values, with_header, without

COOKIES = (("Set-Cookie", "a=1"), ("X", "y"), ("set-cookie", "b=2"))


def test_the_first_value_answers_whatever_the_case() -> None:
    assert header(COOKIES, "SET-COOKIE") == "a=1"
    assert header(COOKIES, "age") == ""


def test_a_header_that_came_twice_is_there_twice() -> None:
    assert header_values(COOKIES, "set-cookie") == ("a=1", "b=2")


def test_a_header_is_taken_out_wherever_it_stands() -> None:
    assert without(COOKIES, ["set-COOKIE"]) == (("X", "y"),)


def test_a_new_value_stands_where_the_first_stood() -> None:
    assert with_header(COOKIES, "set-cookie", "c=3") == (("Set-Cookie", "c=3"), ("X", "y"))


def test_a_header_that_was_not_there_stands_at_the_end() -> None:
    assert with_header(COOKIES, "Age", "1") == (*COOKIES, ("Age", "1"))


NAMES = st.sampled_from(["A", "a", "B", "c-d", "C-D"])


@given(st.lists(st.tuples(NAMES, st.text(max_size=3)), max_size=5), NAMES, st.text(max_size=3))
def test_what_is_set_is_what_is_read_and_the_rest_stays(
    headers: list[tuple[str, str]], name: str, value: str
) -> None:
    changed = with_header(headers, name, value)
    assert header_values(changed, name) == (value,)
    assert without(changed, [name]) == without(headers, [name])
