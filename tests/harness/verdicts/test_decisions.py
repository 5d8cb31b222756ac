from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.model import (
    Attempt,
    Attribution,
    Budget,
    CallEvent,
    CheckResult,
    Count,
    Evidence,
    ExitCode,
    Expectation,
    ExpectedCall,
    ExpectedFile,
    ExpectedRequest,
    Files,
    ForbiddenTools,
    MaxCalls,
    Minefield,
    Minefields,
    Outcome,
    Patterns,
    Policy,
    ReplySchema,
    Rubric,
    ServerRequests,
    ServerState,
    TextContains,
    ToolCalls,
    TrialDecision,
    TrialStatus,
    WorkspaceFile,
)
from harness.statistics import pass_hat_k
from harness.verdicts.decisions import (
    attribute,
    check_tampering,
    decide_case,
    decide_trial,
    holds,
    too_few,
)
from mockserver.model import Journal, Miss, Tampering
from tests.harness.records import case, entry, record, reply, seen, trial

ALL = Policy.model_validate({"pass": "all"})
MAJORITY = Policy.model_validate({"pass": "majority"})
SAYS_A = TextContains(needles=("a",))
STATUSES: list[TrialStatus] = [
    "pass",
    "fail",
    "agent_error",
    "infra_error",
    "replay_miss",
    "skipped",
]


def _undecided(number: int) -> TrialDecision:
    missing = CheckResult(kind="budget", status="not_evaluated", reason="not reported: tokens")
    return trial(
        "not_evaluated", number, checks=(missing,), not_evaluated=True, reason=missing.reason
    )


def test_every_dimension_is_told_apart() -> None:
    """CEP-01, CEP-19: structure, evidence and rubric are each checked and reported."""
    asked = case(
        ReplySchema(fields=("diagnosis",)),
        Evidence(markers=("402",)),
        Rubric(min_score=1, criteria=("next",)),
    )
    decision = decide_trial(asked, record("## Diagnosis\nQuota. Next: wait."))
    assert [(check.kind, check.status) for check in decision.checks] == [
        ("reply_schema", "pass"),
        ("evidence", "fail"),
        ("rubric", "pass"),
    ]
    assert (decision.status, decision.reason) == ("fail", "missing evidence: '402'")


@pytest.mark.parametrize("outcome", ["replied", "agent_error"])
def test_a_call_that_no_recording_answers_decides_the_trial(outcome: Outcome) -> None:
    near = Miss(blame="replay_miss", reason="not recorded", nearest="GET /b", differs=("q.a",))
    entries = (entry("x"), entry("y", seq=2, host="a.example.com", miss=near))
    found = decide_trial(case(SAYS_A, Budget(tokens=5)), seen(*entries, outcome=outcome))
    assert (found.status, found.not_evaluated) == ("replay_miss", False)
    assert found.reason == (
        "no recording answers GET a.example.com/y: not recorded; nearest: GET /b, differs in q.a"
    )


MISSED = Miss(blame="replay_miss", reason="not recorded")
ONCE = ExpectedCall(name="refund", count=Count(min=1, max=1))
AMOUNT = ExpectedCall(name="refund", args={"cents": 1}, count=Count(min=1, max=1))
BEFORE_AND_ONE = (entry("tools.get"), entry("tools.refund", seq=2, body={"cents": 1}))


@pytest.mark.parametrize("outcome", ["replied", "agent_error"])
@pytest.mark.parametrize(
    ("limit", "missed", "excess"),
    [
        (MaxCalls(counts={"refund": 1}), "tools.refund", "'refund' was called 2 times, at most 1"),
        (MaxCalls(counts={"refund": 1}), "tools.get", ""),
        (MaxCalls(counts={"refund": 1}, required=False), "tools.refund", ""),
        (ToolCalls(calls=(ONCE,)), "tools.refund", "'refund' was called 2 times, at most 1"),
        (ToolCalls(calls=(AMOUNT,)), "tools.refund", ""),
        (ToolCalls(calls=(AMOUNT,), extra_max=1), "tools.refund", "2 extra calls, 1 allowed"),
        (ToolCalls(calls=(ONCE, ExpectedCall(name="mail")), extra_max=1), "tools.get", ""),
        (ForbiddenTools(globs=("delete*",)), "tools.delete", "forbidden tools were called: 'de"),
        (
            Minefields(mines=(Minefield(call=CallEvent(name="delete")),)),
            "tools.delete",
            "must never happen, and did: call 'delete'",
        ),
        (
            ServerRequests(requests=(ExpectedRequest(method="shop.refund", max=0, min=0),)),
            "shop.refund",
            "'shop.refund' seen 1 times, at most 0",
        ),
        (
            ServerRequests(requests=(ExpectedRequest(method="tools.*"),), allow_others=False),
            "shop.refund",
            "not expected: 'shop.refund'",
        ),
        (
            ServerRequests(requests=(ExpectedRequest(method="mail"),), allow_others=False),
            "shop.refund",
            "",
        ),
    ],
    ids=str,
)
def test_a_missed_call_that_is_one_too_many_fails_its_trial(
    limit: Expectation, missed: str, excess: str, outcome: Outcome
) -> None:
    last = entry(missed, seq=3, status=424, miss=MISSED, body={"cents": 20})
    made = seen(*BEFORE_AND_ONE, last, entry("tools.refund", seq=4), outcome=outcome)
    found = decide_trial(case(SAYS_A, limit), made)
    if not excess:
        assert (found.status, found.attribution) == ("replay_miss", "fixture")
        return
    assert (found.status, found.attribution, found.score) == ("fail", "agent", 0.0)
    assert found.reason.startswith(excess)
    assert found.reason.endswith(" was not recorded, and nothing after it counts")
    assert ('{"cents":20}' in found.reason) == missed.startswith("tools.")
    assert (found.checks[1].status, found.checks[1].reason) == ("fail", found.reason)


def test_a_limit_on_one_of_several_turns_is_left_undecided_where_a_recording_is_missing() -> None:
    limit = MaxCalls(counts={"refund": 1}, turn=1)
    last = entry("tools.refund", seq=3, miss=MISSED)
    attempts = tuple(Attempt(turn=turn, number=1) for turn in (1, 2))
    two = seen(*BEFORE_AND_ONE, last, attempts=attempts)
    assert decide_trial(case(limit), two).status == "replay_miss"
    whole = limit.model_copy(update={"turn": None})
    assert decide_trial(case(whole), two).status == "fail"


TOOLS = st.sampled_from(["get", "refund", "mail"])
LIMITS = st.builds(
    MaxCalls, counts=st.dictionaries(TOOLS, st.integers(1, 3), min_size=1)
) | st.builds(
    ToolCalls,
    calls=st.lists(st.builds(ExpectedCall, name=TOOLS), max_size=3).map(tuple),
    extra_max=st.none() | st.integers(0, 2),
    mode=st.sampled_from(["any_order", "in_order"]),
)


@given(LIMITS, st.lists(TOOLS, max_size=5), TOOLS, st.lists(TOOLS, max_size=5))
def test_a_trial_without_one_call_too_many_stays_a_replay_miss(
    limit: Expectation, made: list[str], missed: str, later: list[str]
) -> None:
    """It fails only where no answer, and no later call, could have made it pass."""
    entries = [entry(f"tools.{name}", seq=seq) for seq, name in enumerate([*made, missed], 1)]
    left = entries[-1].model_copy(update={"miss": MISSED, "status": 424})
    after = [
        entry(f"tools.{name}", seq=seq) for seq, name in enumerate(later, start=len(entries) + 1)
    ]
    decided = decide_trial(case(limit), seen(*entries[:-1], left, *after)).status
    assert decided in {"fail", "replay_miss"}
    if decided == "fail":
        assert decide_trial(case(limit), seen(*entries, *after)).status == "fail"


def test_other_misses_and_made_up_replies_are_no_replay_miss() -> None:
    gap = entry("x", miss=Miss(blame="fixture_gap", reason="no such user"))
    far = entry("x", miss=Miss(blame="replay_miss", reason="not recorded"))
    assert decide_trial(case(SAYS_A), seen(gap)).status == "fail"
    assert decide_trial(case(SAYS_A), seen(far, synthetic=True)).status == "skipped"
    assert decide_trial(case(SAYS_A), seen(far, outcome="infra_error")).status == "infra_error"
    assert decide_trial(case(SAYS_A), seen(far)).reason.endswith("/x: not recorded")


def test_a_reply_passes_when_everything_required_passes() -> None:
    told = ExitCode(code=0, required=False)
    decision = decide_trial(case(SAYS_A, told), record("a", exit_code=1))
    assert (decision.status, decision.reason, decision.not_evaluated) == ("pass", "", False)


@pytest.mark.parametrize("outcome", ["agent_error", "infra_error", "replay_miss", "skipped"])
def test_broken_trials_keep_their_own_status(outcome: Outcome) -> None:
    asked = case(SAYS_A, Budget(tokens=5))
    decision = decide_trial(asked, record("a", outcome=outcome, error="it broke"))
    assert (decision.status, decision.reason) == (outcome, "it broke")
    assert [check.status for check in decision.checks] == ["pass", "not_evaluated"]
    assert not decision.not_evaluated
    unsaid = decide_trial(case(SAYS_A), record(outcome=outcome))
    assert unsaid.reason == outcome.replace("_", " ")


def test_what_could_not_be_evaluated_is_no_pass() -> None:
    decision = decide_trial(case(SAYS_A, Budget(tokens=5)), record("a"))
    assert (decision.status, decision.not_evaluated) == ("not_evaluated", True)
    assert decision.reason == "not reported: tokens"


def test_a_failure_stands_whatever_could_not_be_evaluated() -> None:
    asked = case(ForbiddenTools(globs=("x",)), Budget(tokens=5))
    decision = decide_trial(asked, record(reply("a", "x")))
    assert decision.status == "fail"
    assert decision.reason == "forbidden tools were called: 'x'"
    assert decide_case(asked, [decision], ALL).verdict == "failed"


def test_a_case_that_requires_nothing_decides_nothing() -> None:
    decision = decide_trial(case(ExitCode(code=0, required=False)), record("a", exit_code=0))
    assert (decision.status, decision.not_evaluated) == ("not_evaluated", True)
    assert decide_case(case(), [decision], ALL).verdict == "inconclusive"


def test_a_synthetic_reply_is_never_quality() -> None:
    """CEP-24: a made-up reply is skipped, whatever it says."""
    decision = decide_trial(case(SAYS_A), record("a", synthetic=True))
    assert decision.status == "skipped"
    assert decision.reason == "synthetic reply: the agent was not asked"
    assert decide_case(case(), [decision], ALL).verdict == "skipped"


def test_every_trial_is_checked_not_only_the_first() -> None:
    """Observed counts against 0 to 3 and 1 to 6: two of three trials pass in both cases."""
    for texts in (["a", "a", "b"], ["b", "a", "a"]):
        trials = [
            decide_trial(case(SAYS_A), record(text, number=n)) for n, text in enumerate(texts, 1)
        ]
        decision = decide_case(case(SAYS_A), trials, ALL)
        assert (decision.verdict, decision.passed, decision.valid) == ("flaky", 2, 3)
        assert decide_case(case(SAYS_A), trials, MAJORITY).verdict == "passed"


@pytest.mark.parametrize(
    ("statuses", "policy", "verdict"),
    [
        pytest.param("pp", {"pass": "all"}, "passed", id="all-pass"),
        pytest.param("pf", {"pass": "all"}, "flaky", id="some-pass"),
        pytest.param("ff", {"pass": "all"}, "failed", id="none-pass"),
        pytest.param("pa", {"pass": "all"}, "flaky", id="an-agent-error-is-a-failure"),
        pytest.param("pi", {"pass": "all"}, "passed", id="infra-is-outside"),
        pytest.param("pr", {"pass": "all"}, "passed", id="a-replay-miss-is-outside"),
        pytest.param("ii", {"pass": "all"}, "inconclusive", id="no-valid-trial"),
        pytest.param("is", {"pass": "all"}, "inconclusive", id="infra-and-skipped"),
        pytest.param("ss", {"pass": "all"}, "skipped", id="all-skipped"),
        pytest.param("", {"pass": "all"}, "inconclusive", id="no-trial"),
        pytest.param("ppf", {"pass": "majority"}, "passed", id="majority"),
        pytest.param("pf", {"pass": "majority"}, "flaky", id="half-is-no-majority"),
        pytest.param("pppp" + "f", {"rate": 0.8}, "passed", id="rate"),
        pytest.param("ppp" + "ff", {"rate": 0.8}, "flaky", id="below-rate"),
        pytest.param("pppp" + "f", {"pass_hat": 3, "min": 0.4}, "passed", id="pass-hat"),
        pytest.param("pppp" + "f", {"pass_hat": 3, "min": 0.7}, "flaky", id="below-pass-hat"),
        pytest.param("pp", {"pass_hat": 3, "min": 0.7}, "inconclusive", id="pass-hat-undefined"),
        pytest.param("ppi", {"pass_hat": 3, "min": 0.7}, "inconclusive", id="k-is-never-lowered"),
        pytest.param("pu", {"pass": "all"}, "inconclusive", id="undecided"),
        pytest.param("ppu", {"pass": "majority"}, "inconclusive", id="never-a-pass"),
        pytest.param("fu", {"pass": "all"}, "failed", id="failed-either-way"),
        pytest.param("pfu", {"pass": "all"}, "flaky", id="flaky-either-way"),
    ],
)
def test_the_policy_decides_over_valid_trials(
    statuses: str, policy: dict[str, Any], verdict: str
) -> None:
    by_letter = {status[0]: status for status in STATUSES} | {"s": "skipped"}
    trials = [
        _undecided(number) if letter == "u" else trial(by_letter[letter], number)
        for number, letter in enumerate(statuses, 1)
    ]
    rule = Policy.model_validate(policy)
    assert decide_case(case(), trials, rule).verdict == verdict
    assert decide_case(case(policy=rule), trials, ALL).verdict == verdict


def test_the_first_reason_is_that_of_a_failure() -> None:
    trials = [
        trial("infra_error", 1, reason="no server"),
        trial("fail", 3, reason="wrong"),
        _undecided(2),
    ]
    decision = decide_case(case(), trials, ALL)
    assert decision.reason == "wrong"
    assert [each.number for each in decision.trials] == [1, 2, 3]


@given(st.integers(1, 50), st.floats(0.01, 1))
def test_all_passes_satisfy_every_policy_and_none_satisfies_no_policy(n: int, rate: float) -> None:
    for policy in (ALL, MAJORITY, Policy(rate=rate)):
        assert holds(policy, n, n)
        assert not holds(policy, 0, n)


def _check(status: str, kind: str = "evidence") -> CheckResult:
    return CheckResult.model_validate({"kind": kind, "status": status})


FAILED, OPEN, JUDGE = _check("fail"), _check("not_evaluated"), _check("not_evaluated", "judge")


@pytest.mark.parametrize(
    ("status", "checks", "whose"),
    [
        ("pass", [], None),
        ("skipped", [], None),
        ("infra_error", [], "infrastructure"),
        ("replay_miss", [], "fixture"),
        ("agent_error", [], "agent"),
        ("fail", [FAILED], "agent"),
        ("fail", [FAILED, JUDGE], "agent"),
        ("not_evaluated", [JUDGE], "judge"),
        ("not_evaluated", [JUDGE, OPEN], "case"),
        ("not_evaluated", [], "case"),
    ],
)
def test_whose_failure_it_is(
    status: TrialStatus, checks: list[CheckResult], whose: Attribution | None
) -> None:
    """Pitfalls 3 and 5"""
    assert attribute(trial(status, checks=tuple(checks)), record("x")) == whose


@pytest.mark.parametrize(
    ("blame", "whose"),
    [("not_emulated", "fixture"), ("fixture_gap", "agent"), ("agent_error", "agent")],
)
def test_what_the_mock_does_not_emulate_is_no_mistake_of_the_agent(blame: str, whose: str) -> None:
    miss = Miss.model_validate({"blame": blame, "reason": "none"})
    seen = record("x", journal=Journal(entries=(entry("a.b", miss=miss),)))
    assert attribute(trial("fail", checks=(FAILED,)), seen) == whose


def test_a_late_call_is_not_held_against_the_fixtures() -> None:
    miss = Miss(blame="not_emulated", reason="none")
    late = record("x", journal=Journal(entries=(entry("a.b", miss=miss, after_close=True),)))
    assert attribute(trial("fail", checks=(FAILED,)), late) == "agent"


@pytest.mark.parametrize(
    ("ignored", "status", "whose"),
    [
        (["orderBy"], 200, "fixture"),
        (["prettyPrint", "quotaUser"], 200, "agent"),
        (["q (isStarred:)", "alt"], 200, "fixture"),
        (["etag", "made_up"], 200, "agent"),
        (["orderBy"], 400, "agent"),
    ],
)
def test_a_parameter_that_was_ignored_is_a_gap_of_the_fixture(
    ignored: list[str], status: int, whose: str
) -> None:
    seen = entry("a.b", status=status, ignored=tuple(ignored))
    trial_seen = record("x", journal=Journal(entries=(seen,)))
    assert attribute(trial("fail", checks=(FAILED,)), trial_seen) == whose
    assert attribute(trial("pass"), trial_seen) is None


THREE = Policy(pass_hat=3, min=0.7)


@given(st.integers(1, 12), st.integers(1, 12), st.data())
def test_pass_hat_is_the_unbiased_estimate(valid: int, k: int, data: st.DataObject) -> None:
    """Pass^k of fewer than k trials is undefined, and decides nothing."""
    passed = data.draw(st.integers(0, valid))
    estimate = pass_hat_k(passed, valid, k)
    found = holds(Policy(pass_hat=k, min=0.7), passed, valid)
    assert found == (None if estimate is None else estimate >= 0.7)


def test_a_share_is_no_victim_of_rounding() -> None:
    assert holds(Policy(rate=0.1), 3, 30)


@pytest.mark.parametrize(
    ("policy", "valid", "said"),
    [
        (THREE, 2, "undefined for 2 valid trials"),
        (THREE, 3, ""),
        (THREE, 0, ""),
        (Policy(rate=1), 1, ""),
    ],
    ids=["few", "enough", "none", "other"],
)
def test_too_few_trials_are_told(policy: Policy, valid: int, said: str) -> None:
    assert said in too_few(policy, valid)
    assert bool(said) == bool(too_few(policy, valid))


def test_a_case_with_too_few_valid_trials_says_so() -> None:
    found = decide_case(case(), [trial("pass", 1), trial("infra_error", 2)], THREE)
    assert found.verdict == "inconclusive"
    assert "pass_hat 3" in found.reason


EXPECT: tuple[Expectation, ...] = (
    Patterns(patterns=("one", "two")),
    Files(files=(ExpectedFile(path="a.py"),)),
    ExitCode(code=0),
    ExitCode(code=7, required=False),
)
THERE = {"a.py": WorkspaceFile(size=0, text="")}


@pytest.mark.parametrize(
    ("text", "facts", "score"),
    [
        ("one two", {"files": THERE, "exit_code": 0}, 1.0),
        ("one two", {"exit_code": 0}, 0.75),
        ("one", {"files": THERE, "exit_code": 0}, 0.75),
        ("one", {"exit_code": 1}, 0.25),
        ("one two", {"files": THERE}, 0.75),
        ("", {"exit_code": 1}, 0.0),
    ],
    ids=["all", "no file", "one of two patterns", "half a pattern", "no exit code", "nothing"],
)
def test_the_score_comes_from_all_checks(text: str, facts: dict[str, Any], score: float) -> None:
    """CTXR-06: a file that is not there lowers the score, so that a regression is seen."""
    assert decide_trial(case(*EXPECT), record(text, **facts)).score == score


def test_checks_weigh_what_the_case_says() -> None:
    weighed = case(*EXPECT, weights={"files": 4})
    assert decide_trial(weighed, record("one two", exit_code=0)).score == pytest.approx(3 / 7)


@pytest.mark.parametrize(
    ("facts", "score"),
    [
        ({"outcome": "agent_error"}, 0.0),
        ({"outcome": "infra_error"}, None),
        ({"outcome": "skipped"}, None),
        ({"synthetic": True}, None),
    ],
    ids=str,
)
def test_only_what_the_agent_did_is_scored(facts: dict[str, Any], score: float | None) -> None:
    assert decide_trial(case(*EXPECT), record("one two", **facts)).score == score


def test_what_is_not_required_is_not_scored_wherever_it_stands() -> None:
    optional = EXPECT[0].model_copy(update={"required": False})
    scores = [
        decide_trial(case(*expect), record("one two", exit_code=0)).score
        for expect in (EXPECT, (optional, *EXPECT), (*EXPECT, optional))
    ]
    assert scores[1:] == scores[:1] * 2
    assert scores[0] not in {0.0, 1.0}


def test_a_case_that_requires_nothing_scores_nothing() -> None:
    assert decide_trial(case(), record("one two")).score == 0.0


ATTEMPT = Tampering(
    at="2026-11-20T10:15:00.000Z",
    attempt="POST /_mock/sessions/s1/reset",
    reason="it may not",
    by="path",
    session="s1",
    status=401,
)
UNCHANGED = case(ServerState(unchanged=("*",)))


def test_an_agent_that_tried_nothing_has_no_finding() -> None:
    assert check_tampering(record("done")) is None


def test_the_finding_names_the_first_attempt_and_counts_them() -> None:
    found = check_tampering(record("done", tampering=(ATTEMPT, ATTEMPT, ATTEMPT)))
    assert found is not None
    assert found.reason == ("the agent tried POST /_mock/sessions/s1/reset and 2 more: it may not")
    assert (found.status, found.required, found.numbers) == ("fail", True, {"attempts": 3})


@pytest.mark.parametrize("outcome", ["replied", "agent_error", "infra_error", "skipped"])
def test_it_fails_however_the_trial_ended(outcome: Outcome) -> None:
    """A trial that its agent spoilt must not leave the rate as a failure of the infrastructure."""
    spoilt = record("done", session="s1", outcome=outcome, tampering=(ATTEMPT,))
    decision = decide_trial(UNCHANGED, spoilt)
    assert (decision.status, decision.attribution, decision.score) == ("fail", "agent", 0.0)
    assert [check.kind for check in decision.checks] == ["tampering", "server_state"]
    verdict = decide_case(UNCHANGED, [decision], Policy.model_validate({"pass": "all"}))
    assert (verdict.verdict, verdict.valid) == ("failed", 1)


def test_a_tool_that_nobody_mocked_and_that_writes_fails_the_trial() -> None:
    wrote = entry("tools.pay", escapes=("opens the database shop.db",))
    decision = decide_trial(case(SAYS_A), seen(wrote, wrote))
    assert (decision.status, decision.attribution) == ("fail", "fixture")
    assert decision.reason == (
        "the tool 'pay' ran for real and opens the database shop.db, and 1 more calls did the like:"
        " say under 'tools' whether it is mocked, real or refused"
    )


@pytest.mark.parametrize(
    ("error", "asked", "told"),
    [
        ("KeyError", [("GET", "/x", True)], "nothing answered GET api.example.com/x: no such"),
        ("KeyError", [("CONNECT", "a:443", True)], "nothing answered api.example.com: no such"),
        ("KeyError", [("GET", "/x", False)], None),
        ("URLError: [Errno -2] Name or service not known", [], "--intercept leads its clients"),
        ("TypeError: fetch failed: Error: getaddrinfo ENOTFOUND", [], "--intercept leads its"),
    ],
)
def test_an_agent_that_broke_is_told_what_nothing_answered(
    error: str, asked: list[tuple[str, str, bool]], told: str | None
) -> None:
    entries = tuple(
        entry(
            "",
            http_method=verb,
            path=path,
            host="api.example.com",
            miss=Miss(blame="agent_error", reason="no such") if missed else None,
        )
        for verb, path, missed in asked
    )
    broken = record(outcome="agent_error", error=error, journal=Journal(entries=entries))
    reason = decide_trial(case(SAYS_A), broken).reason
    assert reason.startswith(error)
    assert (reason == error) if told is None else (told in reason)
