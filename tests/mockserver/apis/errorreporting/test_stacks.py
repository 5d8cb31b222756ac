import pytest

from mockserver.apis.errorreporting.state import group_id, has_stack, header, signature
from tests.mockserver.apis.errorreporting.conftest import NODE, PYTHON

JAVA = (
    'Exception in thread "main" java.lang.IllegalStateException: 7 left\n'
    "\tat com.example.Cart.add(Cart.java:17)\n\tat com.example.Main.main(Main.java:3)"
)
GO = "panic: boom\n\ngoroutine 1 [running]:\nmain.pay(0x1)\n\t/app/main.go:5"
RUBY = "a.rb:3:in `pay': no card (RuntimeError)\n\tfrom b.rb:1:in `main'"
CSHARP = "System.Exception: x\n   at Shop.Cart.Add(Int32 n) in C.cs:line 3"
PHP = "PHP Fatal error: Uncaught Exception: x in /a.php:3\nStack trace:\n#0 /a.php(5): pay()"
RUST = "thread 'main' panicked at src/main.rs:3:5:\nno card"


@pytest.mark.parametrize(
    "text", [PYTHON, NODE, JAVA, GO, RUBY, CSHARP, PHP, RUST], ids=lambda text: text[:12]
)
def test_stack_traces_of_the_supported_languages_are_found(text: str) -> None:
    assert has_stack(text)


@pytest.mark.parametrize("text", ["", "failed at noon", "look at this: x", "#1 a"], ids=repr)
def test_other_texts_have_no_stack(text: str) -> None:
    assert not has_stack(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (PYTHON.format(line=3), ("ValueError", "/app/pay.py charge")),
        (NODE, ("TypeError", "render", "next")),
        (
            JAVA,
            ("java.lang.IllegalStateException", "com.example.Cart.add", "com.example.Main.main"),
        ),
        (GO, ("panic", "main.pay")),
        (RUBY, ("a.rb:N", "pay", "main")),
        ("took 5 ms at 0xff", ("took N ms at N",)),
        ("", ("",)),
    ],
    ids=lambda value: str(value)[:15],
)
def test_what_errors_have_in_common_is_type_and_functions(
    text: str, expected: tuple[str, ...]
) -> None:
    assert signature(text) == expected


def test_groups_are_of_a_project_and_independent_of_lines() -> None:
    one = group_id("p", PYTHON.format(line=3))
    assert one == group_id("p", PYTHON.format(line=99))
    assert one != group_id("q", PYTHON.format(line=3))
    assert one != group_id("p", NODE)


def test_the_header_of_a_python_trace_is_its_last_line() -> None:
    assert header(PYTHON.format(line=3)) == "ValueError: no card 3"
    assert header("\n\n") == ""


def test_long_blank_texts_are_read_quickly() -> None:
    assert not has_stack("\n \t" * 100_000)
