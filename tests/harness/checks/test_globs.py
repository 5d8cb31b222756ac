import pytest

from harness.checks.matchers import is_named
from harness.checks.table import check
from harness.model import (
    Expectation,
    ExpectedRequest,
    ForbiddenTools,
    JsonObject,
    ServerRequests,
    ServerState,
    TrialRecord,
)
from tests.harness.records import entry, record, reply, seen

NONE = ExpectedRequest(method="directory.orgUnits.*", min=0, max=0)
ADDED: dict[str, JsonObject] = {"orgUnits": {"added": {"/A": {}}}}


def test_letter_case_does_not_matter_and_the_rest_does() -> None:
    assert is_named("deleteUser", "DELETE*")
    assert not is_named("deleteUser", "delete_*")


@pytest.mark.parametrize(
    ("trial", "rule"),
    [
        (record(reply("", "delete_user")), ForbiddenTools(globs=("Delete_*",))),
        (seen(entry("x"), state_diff=ADDED), ServerState(unchanged=("orgunits",))),
        (
            seen(entry("directory.orgunits.delete")),
            ServerRequests(
                requests=(ExpectedRequest(method="directory.orgUnits.*", min=0, max=0),)
            ),
        ),
    ],
    ids=["forbidden", "unchanged", "requests"],
)
def test_what_forbids_in_other_letters_forbids_all_the_same(
    trial: TrialRecord, rule: Expectation
) -> None:
    assert check(trial, rule).status == "fail"
