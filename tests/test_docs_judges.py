"""What docs/reference/judges.md says of judges, held against the code."""

from harness.cli.judge import judge
from harness.judge.specs import PROVIDERS
from harness.statistics import FEWEST_NEGATIVES
from tests.documents import DOCS, code_in, table

TEXT = DOCS["judges"]


def test_providers_and_their_variables_are_those_there_are() -> None:
    rows = {
        row[0].strip("`").partition(":")[0]: (tuple(code_in(row[1])), code_in(row[2])[0])
        for row in table(TEXT, "`--judge`")
    }
    assert rows == dict(PROVIDERS)


def test_the_commands_and_the_limit_are_those_of_the_code() -> None:
    for command in judge.registered_commands:
        assert f"understudy runs judge {command.name} " in TEXT
    assert f"fewer than {FEWEST_NEGATIVES} labels" in TEXT
