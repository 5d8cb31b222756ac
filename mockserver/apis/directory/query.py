"""The `query` language of users.list and groups.list.

Clauses are joined by blanks, all must hold: `field=value` (the whole), `field:value` (its words, in
order), `field:value*` (a prefix), `field>=value` and the like, `field:[low,high]`, a bare word
(prefix of a name or address). Values with blanks are quoted. From the guide on searching for users.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from mockserver.googleapi import ApiError, FilterError, Function, Leaf, Text, invalid, leaves
from mockserver.googleapi.filters import QUOTED, FilterDialect, parse

_OPERATOR = ">=|<=|=|:|>|<"
_END = r"(?=\*?(?:\s|\Z))"
_PLAIN = r"""[^\s'"\[*=:<>][^\s'"\[*]*"""
DIALECT = FilterDialect(
    terms={
        "name": rf"[A-Za-z_][\w.]*(?=(?:{_OPERATOR})(?![=:<>]))",
        "word": rf"(?:{QUOTED}|{_PLAIN}){_END}",
    },
    after_name={"operator": rf"(?:{_OPERATOR})(?![=:<>\s])"},
    after_operator={"word": rf"(?:{QUOTED}|\[[^\]]*\]|{_PLAIN}){_END}"},
    after_term={
        "suffix": r"(?<=\S)\*",
        "name": rf"(?<=\s)[A-Za-z_][\w.]*(?=(?:{_OPERATOR})(?![=:<>]))",
        "word": rf"(?<=\s)(?:{QUOTED}|{_PLAIN}){_END}",
    },
)
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Clause:
    """One condition of a query.

    Attributes:
        field: The field's name; empty for a bare word.
        op: `=`, `:`, `prefix`, `range`, `>`, `>=`, `<` or `<=`.
        value: What it is compared with; `low,high` for a range.
    """

    field: str
    op: str
    value: str


def bad_query() -> ApiError:
    """400 for a query that cannot be read."""
    return invalid("Invalid query", location="query")


@lru_cache(maxsize=256)
def parse_query(text: str) -> tuple[Clause, ...]:
    """The clauses of a query.

    Raises:
        ApiError: 400: it cannot be read.

    >>> parse_query("email:admin* name='Jane Smith'")
    (Clause(field='email', op='prefix', value='admin'), Clause(field='name', op='=', value='Jane Smith'))
    """  # noqa: E501  (the example's answer)
    try:
        return leaves(parse(text.strip(), DIALECT, _read_clause))
    except FilterError as error:
        raise bad_query() from error


def _read_clause(leaf: Leaf) -> Clause:
    if isinstance(leaf, Function):
        raise bad_query()
    if isinstance(leaf, Text):
        return Clause("", "prefix", leaf.text)
    value = leaf.literal
    if not value.quoted and value.text.startswith("["):
        if leaf.operator != ":" or "," not in value.text or leaf.modifiers:
            raise bad_query()
        return Clause(leaf.field, "range", value.text[1:-1])
    if leaf.modifiers and leaf.operator != ":":
        raise bad_query()
    return Clause(leaf.field, "prefix" if leaf.modifiers else leaf.operator, value.text)


def meets_clause(clause: Clause, values: Iterable[object]) -> bool:
    """Whether a clause holds for any of a field's values.

    >>> meets_clause(Clause("name", ":", "jane smith"), ["Mary Jane Smith"])
    True
    """
    return any(_meets_value(clause, value) for value in values if value is not None)


def _meets_value(clause: Clause, value: object) -> bool:
    asked = clause.value.casefold()
    found = str(value).casefold()
    match clause.op:
        case "=":
            return found == asked
        case "prefix":
            return found.startswith(asked) or any(
                word.startswith(asked) for word in _WORD.findall(found)
            )
        case ":":
            return _has_words(_WORD.findall(found), _WORD.findall(asked))
        case "range":
            low, _, high = asked.partition(",")
            return _order_key(low) <= _order_key(found) <= _order_key(high)
        case _:
            return _meets_order(clause.op, _order_key(found), _order_key(asked))


def _has_words(words: list[str], wanted: list[str]) -> bool:
    return any(words[at : at + len(wanted)] == wanted for at in range(len(words) - len(wanted) + 1))


def _order_key(text: str) -> tuple[float, str]:
    """A key that orders numbers as numbers and everything else, such as dates, as text."""
    try:
        return float(text), ""
    except ValueError:
        return float("inf"), text.strip()


def _meets_order(op: str, found: tuple[float, str], wanted: tuple[float, str]) -> bool:
    return {">": found > wanted, ">=": found >= wanted, "<": found < wanted, "<=": found <= wanted}[
        op
    ]
