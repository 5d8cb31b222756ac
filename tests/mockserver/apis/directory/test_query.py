import pytest

from mockserver.apis.directory.query import Clause, meets_clause, parse_query
from mockserver.googleapi import ApiError


@pytest.mark.parametrize(
    ("text", "clauses"),
    [
        ("", []),
        ("jane", [Clause("", "prefix", "jane")]),
        ("email:admin*", [Clause("email", "prefix", "admin")]),
        ("name='Jane O\\'Hara'", [Clause("name", "=", "Jane O'Hara")]),
        ('givenName:"Mary Ann" isAdmin=true', [
            Clause("givenName", ":", "Mary Ann"), Clause("isAdmin", "=", "true")
        ]),
        ("job.level>=7", [Clause("job.level", ">=", "7")]),
        ("job.level:[1,5]", [Clause("job.level", "range", "1,5")]),
        ("'Jane Smith'", [Clause("", "prefix", "Jane Smith")]),
        ("orgUnitPath=/Eng", [Clause("orgUnitPath", "=", "/Eng")]),
    ],
)  # fmt: skip
def test_queries_are_read(text: str, clauses: list[Clause]) -> None:
    assert list(parse_query(text)) == clauses


@pytest.mark.parametrize(
    "text",
    ["name='Jane", "name=", "name=a*", "a.b:[1]", "a.b=[1,2]", "a.b:[1,2]*", "=x", "name:'a'b"],
)
def test_what_is_no_query_is_refused(text: str) -> None:
    with pytest.raises(ApiError, match="Invalid query"):
        parse_query(text)


@pytest.mark.parametrize(
    ("op", "asked", "value", "found"),
    [
        ("=", "JANE", "jane", True),
        ("=", "jan", "jane", False),
        ("prefix", "smi", "Jane Smith", True),
        ("prefix", "mith", "Jane Smith", False),
        (":", "jane smith", "Dr Jane Smith", True),
        (":", "jane", "Janet", False),
        ("range", "2,10", "9", True),
        ("range", "2,10", "11", False),
        (">", "9", "10", True),
        ("<=", "2026-01-02", "2026-01-01", True),
        ("<", "a", "b", False),
        (">=", "a", "a", True),
    ],
)
def test_clauses_compare(op: str, asked: str, value: str, found: bool) -> None:
    assert meets_clause(Clause("f", op, asked), [None, value]) is found
