import pytest

from mockserver.capture.google.calls import CallOutcome, Failure
from mockserver.capture.google.capture import CallResult, call_failures, call_summary


def done(
    outcome: CallOutcome, *, call: str = "users", about: str = "", optional: bool = False
) -> CallResult:
    return CallResult(call, about, "directory.users.list", outcome, optional)


def test_calls_are_summed_up_by_what_was_planned() -> None:
    fine, bad = CallOutcome(pages=2, items=30), CallOutcome(failure=Failure(404, "no"))
    lines = list(call_summary([done(fine), done(fine, call="m"), done(bad, call="m"), done(bad)]))
    assert lines == [
        "users: 2 calls, 2 pages, 30 items, 1 failed",
        "m: 2 calls, 2 pages, 30 items, 1 failed",
    ]


@pytest.mark.parametrize(
    ("failure", "optional", "code", "said"),
    [
        (Failure(404, "not here"), False, 1, "users [x]: failed 404: not here"),
        (Failure(0, "no answer"), False, 1, "users [x]: failed: no answer"),
        (Failure(404, "not here"), True, 0, "failed (optional) 404"),
        (Failure(403, "scopes", scope=True), False, 2, "lack a scope of directory.users.list"),
        (Failure(403, "scopes", scope=True), True, 0, "lack a scope"),
        (Failure(401, "who?"), True, 2, "no further call was made"),
    ],
    ids=["failed", "no-answer", "optional", "scope", "optional-scope", "refused"],
)
def test_failures_say_what_to_do_and_what_they_cost(
    failure: Failure, optional: bool, code: int, said: str
) -> None:
    found = call_failures([done(CallOutcome(failure=failure), about="x", optional=optional)])
    assert found.exit_code == code
    assert said in found.lines[0]


def test_pages_before_a_failure_and_lists_cut_short_are_told() -> None:
    found = call_failures(
        [
            done(CallOutcome(pages=2, failure=Failure(500, "oops"))),
            done(CallOutcome(pages=1, cut="there is more after 1 pages (max_pages)")),
        ]
    )
    assert found.lines[0].endswith("oops, 2 pages kept")
    assert found.lines[1] == "users: cut short: there is more after 1 pages (max_pages)"


def test_nothing_failed_is_nothing_told() -> None:
    assert call_failures([done(CallOutcome(pages=1))]) == call_failures([])
    assert call_failures([]).exit_code == 0
