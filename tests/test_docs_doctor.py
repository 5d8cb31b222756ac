"""What the document of the doctor says is held against the code."""

from harness.cases import LIFECYCLE
from harness.doctor import RULES
from tests.documents import DOCS, table


def test_every_rule_stands_in_the_table_in_its_words() -> None:
    rows = table(DOCS["doctor"], "Rule")
    assert [row[0].strip("`") for row in rows] == list(RULES)
    told = {row[0].strip("`"): row[1] for row in rows}
    assert told == dict(RULES)


def test_every_stage_stands_in_the_table_in_its_words() -> None:
    assert {row[0].strip("`"): row[1] for row in table(DOCS["doctor"], "Tag")} == dict(LIFECYCLE)
