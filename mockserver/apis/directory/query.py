"""The `query` language of users.list and groups.list.

Clauses are joined by blanks, all must hold: `field=value` (the whole), `field:value` (its words, in
order), `field:value*` (a prefix), `field>=value` and the like, `field:[low,high]`, a bare word
(prefix of a name or address). Values with blanks are quoted. From the guide on searching for users.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from mockserver.googleapi import ApiError, FilterError, invalid
from mockserver.googleapi.filter_trees import ORDERS, has_phrase, words_of
from mockserver.googleapi.filters import QUOTED, read_terms, unescape

_COMPARED = r"(?P<field>[A-Za-z_][\w.]*)(?P<op>>=|<=|=|:|>|<)(?![=:<>])"
_CLAUSE = re.compile(
    rf"""\s*(?:{_COMPARED}(?!\s)|(?!{re.sub("[?]P<[a-z]+>", "", _COMPARED)}))
    (?P<value>{QUOTED}|\[[^\]]*\]|[^\s'"\[*=:<>][^\s'"\[*]*)
    (?P<star>\*?)(?=\s|\Z)""",
    re.DOTALL | re.VERBOSE,
)


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
        return tuple(
            _read_clause(**term.groupdict("")) for term in read_terms(text.strip(), _CLAUSE)
        )
    except FilterError as error:
        raise bad_query() from error


def _read_clause(field: str, op: str, value: str, star: str) -> Clause:
    if value.startswith("["):
        if op != ":" or "," not in value or star:
            raise bad_query()
        return Clause(field, "range", value[1:-1])
    if star and op not in {":", ""}:
        raise bad_query()
    if value[0] in "\"'":
        value = unescape(value[1:-1])
    return Clause(field, "prefix" if star or not op else op, value)


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
                word.startswith(asked) for word in words_of(found)
            )
        case ":":
            return has_phrase(words_of(found), words_of(asked))
        case "range":
            low, _, high = asked.partition(",")
            return _order_key(low) <= _order_key(found) <= _order_key(high)
        case _:
            return bool(ORDERS[clause.op](_order_key(found), _order_key(asked)))


def _order_key(text: str) -> tuple[float, str]:
    """A key that orders numbers as numbers and everything else, such as dates, as text."""
    try:
        return float(text), ""
    except ValueError:
        return float("inf"), text.strip()
