import pytest

from mockserver.apis.logging.query.tree import (
    Argument,
    Both,
    Comparison,
    Either,
    Function,
    Literal,
    Not,
    Query,
    Search,
    print_query,
)


@pytest.mark.parametrize(
    ("query", "text"),
    [
        (Both(()), ""),
        (Search(Literal("AND", quoted=False)), '"AND"'),
        (Search(Literal("-5", quoted=False)), "-5"),
        (Comparison(("labels", "a/b c"), ":", Literal("*", quoted=False)), 'labels."a/b c":*'),
        (Not(Either((Search(Literal("a")), Search(Literal("b"))))), 'NOT ("a" OR "b")'),
        (
            Function("sample", (Argument(("insertId",)), Argument(("0.5",), quoted=True))),
            'sample(insertId, "0.5")',
        ),
    ],
    ids=repr,
)
def test_a_tree_is_written_as_a_query(query: Query, text: str) -> None:
    assert print_query(query) == text


def test_an_argument_is_one_text() -> None:
    assert Argument(("0", "25")).text == "0.25"
