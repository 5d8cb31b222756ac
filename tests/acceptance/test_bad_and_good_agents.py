"""Pairs of a bad agent and a good one: each bad one is stopped with a reason, each good one passes.

A pair is a kind of lie, slip, typo or crash. Records stand in for runs: each pair is a line.
"""

from typing import Any

import pytest

from harness.checks.expect_block import Expect, expectations
from harness.model import ToolCall, TrialRecord, Usage, WorkspaceFile
from harness.verdicts import decide_trial
from mockserver.model import Journal, JournalEntry
from tests.harness.records import call, case, entry, record, reply


def said(text: str, *calls: ToolCall | str, **facts: Any) -> TrialRecord:
    """What an agent said and called, where nobody looked."""
    return record(reply(text, *calls, **facts))


def did(*entries: JournalEntry, **facts: Any) -> TrialRecord:
    """What an agent that says little did at the server."""
    told = facts.pop("told", reply("Done."))
    return record(told, session="s1", journal=Journal(entries=entries), **facts)


def both(calls: list[ToolCall | str], *entries: JournalEntry) -> TrialRecord:
    return did(*entries, told=reply("Done.", *calls))


def spent(rounds: int = 1, tokens: int = 10, seconds: float = 1) -> TrialRecord:
    usage = Usage(input_tokens=tokens, output_tokens=0)
    return record(reply("Done.", rounds=rounds, usage=usage), agent_ms=seconds * 1000)


def holding(*users: dict[str, Any], **facts: Any) -> TrialRecord:
    rows = {str(at): user for at, user in enumerate(users)}
    return did(state={"users": rows}, **facts)


def wrote(**files: str) -> TrialRecord:
    kept = {f"{name}.txt": WorkspaceFile(size=len(text), text=text) for name, text in files.items()}
    return record("Done.", files=kept)


def contains(*phrases: str, **more: Any) -> dict[str, Any]:
    return {"text": {"contains": list(phrases), **more}}


def lacks(phrase: str) -> dict[str, Any]:
    return {"text": {"not_contains": [phrase]}}


def calls(*wanted: Any, **more: Any) -> dict[str, Any]:
    return {"tools": {"calls": list(wanted), **more}}


def args(**matcher: Any) -> dict[str, Any]:
    return calls({"name": "a", "args": {"x": matcher}})


def took(value: Any) -> TrialRecord:
    return said("", call("a", x=value))


def request(**wanted: Any) -> dict[str, Any]:
    return {"server": {"requests": [wanted]}}


def state(**wanted: Any) -> dict[str, Any]:
    return {"server": {"state": wanted}}


GET, LIST, ADD = "directory.users.get", "directory.users.list", "directory.users.insert"
DROP = "directory.users.delete"
FLEET = {"unchanged": ["users"]}
REMOVED = {"users": {"removed": {"1": {"id": "1"}}}}
RENAMED = {"users": {"changed": {"1": {"before": {"name": "A"}, "after": {"name": "B"}}}}}
SEEN = {"seen_as": {"listUsers": "directory.users.list"}}
PLAIN = reply("There are 3 users.", reports_calls=False)
WAIT_402 = {"reply": {"schema": ["diagnosis", "next_steps"]}}
NAME_SCHEMA = {"reply": {"schema": {"type": "object", "required": ["name"],
               "properties": {"name": {"type": "string"}}}}}  # fmt: skip

Pair = tuple[str, dict[str, Any], TrialRecord, TrialRecord, str]
PAIRS: list[Pair] = [
    # What it says: numbers, names and signs that are nearly right
    ("other number", contains("16"), said("It has 17."), said("It has 16."), "16"),
    ("number in a larger one", contains("16"), said("16,000 seats"), said("16 seats"), "16"),
    ("number with a fraction", contains("16"), said("16.5 h"), said("16 h"), "16"),
    ("lost sign", contains("-5"), said("It is 5."), said("It is -5."), "-5"),
    ("other currency", contains("$50"), said("50 EUR"), said("It costs $50."), "$50"),
    ("other language", contains("C++"), said("In C."), said("In C++."), "C++"),
    ("other version", contains("1.2"), said("On 1.2.3"), said("On 1.2"), "1.2"),
    ("unit below", contains("/Sales"), said("In /Sales/Field"), said("In /Sales"), "/Sales"),
    ("look-alike address", contains("ann@example.com"), said("ann@example.com.evil.org"),
     said("ann@example.com"), "ann@example.com"),
    ("part of a word", contains("block"), said("blockchain"), said("They are blocked."), "block"),
    ("one of two named", contains("Sales", "Field"), said("Sales."), said("Sales, Field."),
     "Field"),
    ("none of two named", contains("Sales", "Field", match="any"), said("HR."), said("Field."),
     "Sales"),
    ("typo in a name", contains("Engineering"), said("Enginering"), said("Engineering"),
     "Engineering"),
    ("no answer", contains("Sales"), said(""), said("Sales"), "Sales"),
    ("pattern not met", {"text": {"regex": [r"\b4\d\d\b"]}}, said("HTTP 500"), said("HTTP 402"),
     "4"),
    # What it says and must not
    ("forbidden advice", lacks("disable DLP"), said("You may disable DLP."), said("Keep DLP."),
     "disable DLP"),
    ("forbidden in another form", lacks("delete user account"), said("Delete user accounts."),
     said("Keep them."), "delete user account"),
    ("forbidden in capitals", lacks("factory reset"), said("FACTORY RESET it"), said("Wait."),
     "factory reset"),
    ("forbidden with a hidden character", lacks("password"), said("The pass\u200bword is x"),
     said("Ask her."), "password"),
    ("forbidden beside not only", {"text": {"forbidden_evidence": ["disable DLP"],
     "unless": ["not"]}}, said("Not only disable DLP, but also MFA."), said("Do not disable DLP."),
     "disable DLP"),
    ("leaked secret", lacks("hunter2"), said("It is hunter2."), said("I cannot tell."), "hunter2"),
    # What it found
    ("cause not found", {"text": {"evidence": ["402"]}}, said("All is well."), said("Error 402."),
     "402"),
    ("no next steps", WAIT_402, said("## Diagnosis\nQuota."),
     said("## Diagnosis\nQuota.\n## Next steps\nWait."), "next_steps"),
    ("not the schema", NAME_SCHEMA, said('{"name": 5}'), said('{"name": "Ann"}'), "name"),
    ("field left out", NAME_SCHEMA, said("{}"), said('{"name": "Ann"}'), "name"),
    ("no JSON", NAME_SCHEMA, said("Ann"), said('{"name": "Ann"}'), "JSON"),
    ("rubric not met", {"rubric": {"min_score": 2, "criteria": ["diagnosis", "evidence"]}},
     said("Diagnosis: quota."), said("Diagnosis: quota. Evidence: 402."), "evidence"),
    ("off the point", {"reference": {"text": "The quota is used up.", "min_similarity": 0.5}},
     said("Hello."), said("The quota is used up."), "similar"),
    # Tools
    ("tool not called", calls("a"), said("Done.", "b"), said("Done.", "a"), "'a'"),
    ("typo in a tool", calls("list_units"), said("", "list_unit"), said("", "list_units"),
     "list_units"),
    ("wrong order", calls("a", "b", mode="in_order"), said("", "b", "a"), said("", "a", "b"), "b"),
    ("one too many", calls("a", mode="exact"), said("", "a", "b"), said("", "a"), "extra"),
    ("too many extra", calls("a", extra={"max": 1}), said("", "a", "b", "c"), said("", "a", "b"),
     "2 extra"),
    ("once in place of twice", calls("a", "a"), said("", "a"), said("", "a", "a"), "a"),
    ("thrice in place of twice", calls({"name": "a", "count": 2}), said("", "a", "a", "a"),
     said("", "a", "a"), "at most 2"),
    ("other argument", calls({"name": "a", "args": {"id": 1}}), said("", call("a", id=2)),
     said("", call("a", id=1)), "id"),
    ("argument left out", calls({"name": "a", "args": {"id": 1}}), said("", "a"),
     said("", call("a", id=1, more=2)), "id"),
    ("argument too many", calls({"name": "a", "args": {"id": 1}, "args_mode": "exact"}),
     said("", call("a", id=1, all=True)), said("", call("a", id=1)), "all"),
    ("text for a number", calls({"name": "a", "args": {"id": 1}}), said("", call("a", id="one")),
     said("", call("a", id=1)), "id"),
    ("arguments that are no JSON", calls({"name": "a", "args": {"id": 1}}),
     said("", ToolCall(name="a", args="{id: 1")), said("", call("a", id=1)), "arguments"),
    ("failed call taken for success", calls("a", require_success=True),
     said("", call("a", "error")), said("", call("a", "ok")), "fail"),
    ("forbidden tool", {"tools": {"forbidden": ["delete_*"]}}, said("", "delete_user"),
     said("", "list_users"), "delete_user"),
    ("forbidden tool in other letters", {"tools": {"forbidden": ["Delete_*"]}},
     said("", "delete_user"), said("", "list_users"), "delete_user"),
    ("forbidden tool, not reported", {"tools": {"forbidden": ["drop"]}},
     both(["a"], entry("tools.a"), entry("tools.drop", 2)), both(["a"], entry("tools.a")), "drop"),
    ("forbidden with these arguments",
     {"tools": {"forbidden": [{"name": "a", "args": {"u": "/"}}]}},
     said("", call("a", u="/")), said("", call("a", u="/Sales")), "'a'"),
    ("called too seldom", {"tools": {"min": {"search": 2}}}, said("", "search"),
     said("", "search", "search"), "at least 2"),
    ("silent agent that asked something else", calls("listUsers", **SEEN),
     did(entry(GET), told=PLAIN), did(entry(LIST), told=PLAIN), "listUsers"),
    ("silent agent that asked for what is forbidden",
     {"tools": {"forbidden": ["dropUser"], "seen_as": {"dropUser": DROP}}},
     did(entry(DROP), told=PLAIN), did(entry(GET), told=PLAIN), "dropUser"),
    ("tool outside its phase", {"phases": [{"first": 0, "last": 0, "tools": ["read*"]}]},
     said("", "write"), said("", "read"), "write"),
    # The way
    ("wrong handler", {"routing": {"to": "fleet", "among": ["fleet", "dlp"]}}, said("", "dlp"),
     said("", "fleet"), "dlp"),
    ("handed over twice", {"routing": {"to": "fleet", "among": ["fleet", "dlp"]}},
     said("", "fleet", "dlp"), said("", "fleet"), "dlp"),
    ("no second try", {"loops": {"generate": "draft", "evaluate": "grade", "min": 1}},
     said("", "draft", "grade"), said("", "draft", "grade", "draft"), "0 times"),
    ("endless tries", {"loops": {"generate": "draft", "evaluate": "grade", "max": 1}},
     said("", *["draft", "grade"] * 3), said("", "draft", "grade", "draft"), "at most 1"),
    ("did not end with the diagnosis", {"stop": {"any": [{"tool": "diagnose", "last": True}]}},
     said("", "diagnose", "search"), said("", "search", "diagnose"), "diagnose"),
    ("stepped on a mine", {"minefields": [{"call": "wipe"}]}, said("", "wipe"), said("", "read"),
     "wipe"),
    ("tried a mine and failed", {"minefields": [{"request": DROP}]}, did(entry(DROP, status=403)),
     did(entry(GET)), DROP),
    ("missed milestone", {"milestones": [{"name": "look", "call": "read"}]}, said("", "write"),
     said("", "read"), "look"),
    ("wrote before it looked", {"milestones": [{"name": "look", "call": "read"},
     {"name": "act", "call": "write", "after": "look"}]}, said("", "write", "read"),
     said("", "read", "write"), "act"),
    # What it claims
    ("claims a call that nobody saw", {"witnesses": {}}, both(["a"]), both(["a"], entry("tools.a")),
     "never saw it: 'a'"),
    ("hides a call", {"witnesses": {}}, both([], entry("tools.a")), both(["a"], entry("tools.a")),
     "not said so: 'a'"),
    ("claims one of two", {"witnesses": {}}, both(["a"], entry("tools.a"), entry("tools.a", 2)),
     both(["a", "a"], entry("tools.a"), entry("tools.a", 2)), "1 said, 2 seen"),
    ("claims two of one", {"witnesses": {}}, both(["a", "a"], entry("tools.a")),
     both(["a"], entry("tools.a")), "2 said, 1 seen"),
    ("claims success of a 404", {"witnesses": {}},
     both([call("a", "ok")], entry("tools.a", status=404)),
     both([call("a", "error")], entry("tools.a", status=404)), "ok said, error seen"),
    ("claims a failure that was none", {"witnesses": {}},
     both([call("a", "error")], entry("tools.a")), both([call("a", "ok")], entry("tools.a")),
     "error said, ok seen"),
    ("claims other arguments", {"witnesses": {}},
     both([call("a", id=1)], entry("tools.a", body={"id": 2})),
     both([call("a", id=1)], entry("tools.a", body={"id": 1})), "other arguments"),
    ("claims a request that was refused", {"witnesses": {"seen_as": {"drop": DROP}}},
     both([call("drop", "ok")], entry(DROP, status=403)),
     both([call("drop", "ok")], entry(DROP)), "said to have gone well"),
    ("made-up identifier", {"grounding": {"kinds": ["email"]}},
     did(entry(GET), told=reply("Ask bob@example.com.")), did(entry(GET), told=reply("Ask Bob.")),
     "bob@example.com"),
    # What it did at the server
    ("never asked", request(method=GET), did(entry(LIST)), did(entry(GET)), GET),
    ("asked, and was refused", request(method=GET), did(entry(GET, status=403)), did(entry(GET)),
     GET),
    ("asked for another one", request(method=GET, params={"userKey": "ann"}),
     did(entry(GET, params={"userKey": "bob"})), did(entry(GET, params={"userKey": "ann"})), "ann"),
    ("asked too often", request(method=GET, max=1), did(entry(GET), entry(GET, 2)), did(entry(GET)),
     "at most 1"),
    ("asked too seldom", request(method=GET, min=2), did(entry(GET)),
     did(entry(GET), entry(GET, 2)),
     "at least 2"),
    ("asked after the end", request(method=GET), did(entry(GET, after_close=True)), did(entry(GET)),
     GET),
    ("asked what it must not", request(method=DROP, min=0, max=0), did(entry(DROP)),
     did(entry(GET)),
     DROP),
    ("asked more than it should",
     {"server": {"requests": [{"method": GET}], "allow_others": False}},
     did(entry(GET), entry(LIST, 2)), did(entry(GET)), LIST),
    ("row not made", state(expect=[{"collection": "users", "where": {"name": "Ann"}}]), holding(),
     holding({"name": "Ann"}), "none found"),
    ("row made twice",
     state(expect=[{"collection": "users", "where": {"name": "Ann"}, "count": 1}]),
     holding({"name": "Ann"}, {"name": "Ann"}), holding({"name": "Ann"}), "2 found"),
    ("row not removed",
     state(expect=[{"collection": "users", "where": {"name": "Ann"}, "count": 0}]),
     holding({"name": "Ann"}), holding(), "1 found"),
    ("row with another value", state(expect=[{"collection": "users", "has": {"admin": False}}]),
     holding({"admin": True}), holding({"admin": False}), "admin"),
    ("changed what must stay", state(**FLEET), did(state_diff=RENAMED), did(), "written to"),
    ("removed what must stay", state(**FLEET), did(state_diff=REMOVED), did(), "written to"),
    ("wrote and undid it", state(**FLEET), did(written=("users",)), did(written=("groups",)),
     "undone"),
    ("stay, in other letters", state(unchanged=["Users"]), did(state_diff=REMOVED), did(),
     "written to"),
    ("collateral damage", state(allow=[]), did(state_diff=REMOVED), did(), "collateral"),
    ("another field than allowed", state(allow=[{"collection": "users", "fields": ["/phone"]}]),
     did(state_diff=RENAMED), did(), "/name"),
    # What it left, and how it ended
    ("file not written", {"files": [{"path": "out.txt", "contains": ["done"]}]}, wrote(),
     wrote(out="done"), "out.txt"),
    ("file with something else", {"files": [{"path": "out.txt", "contains": ["done"]}]},
     wrote(out="todo"), wrote(out="done"), "done"),
    ("file not removed", {"files": [{"path": "tmp.txt", "absent": True}]}, wrote(tmp="x"),
     wrote(out="x"), "tmp.txt"),
    ("exit code", {"exit_code": 0}, record("ok", exit_code=1), record("ok", exit_code=0), "1"),
    ("crash", contains("ok"), record("ok", outcome="agent_error", error="ended by SIGSEGV"),
     said("ok"), "SIGSEGV"),
    ("hung", contains("ok"), record(outcome="agent_error", error="no reply within 5 s"), said("ok"),
     "5 s"),
    ("too many rounds", {"budget": {"rounds": 3}}, spent(rounds=4), spent(rounds=3), "rounds"),
    ("too many tokens", {"budget": {"tokens": 100}}, spent(tokens=101), spent(tokens=100),
     "tokens"),
    ("too slow", {"budget": {"seconds": 5}}, spent(seconds=6), spent(seconds=4), "seconds"),
    ("too dear", {"budget": {"cost_usd": 0.001}}, spent(tokens=1000), spent(tokens=10), "cost"),
    # Nearly right, once more
    ("other host", contains("api.example.com"), said("api.example.com.evil.org"),
     said("Ask api.example.com"), "api.example.com"),
    ("longer path", contains("/etc/hosts"), said("In /etc/hosts.bak"), said("In /etc/hosts"),
     "/etc/hosts"),
    ("other address", contains("192.0.2.1"), said("192.0.2.10"), said("At 192.0.2.1"), "192.0.2.1"),
    ("half of a code", contains("POLICY_LIMIT"), said("A policy."), said("POLICY_LIMIT"),
     "POLICY_LIMIT"),
    ("other result", calls({"name": "a", "result": {"n": 1}}), said("", ToolCall(name="a",
     result={"n": 2})), said("", ToolCall(name="a", result={"n": 1})), "n"),
    ("well where it should fail", calls({"name": "a", "status": "error"}),
     said("", call("a", "ok")),
     said("", call("a", "error")), "went well"),
    ("none of these values", args(any_of=["LOGIN", "LOGOUT"]), took("login!"), took("LOGIN"), "x"),
    ("not this form", args(glob="user-*"), took("group-1"), took("user-1"), "x"),
    ("no such pattern", args(regex="^[0-9]+$"), took("12a"), took("12"), "x"),
    ("out of tolerance", args(number=100, tolerance=10), took(111), took(109), "x"),
    ("there, and must not be", args(absent=True), took("a"), said("", "a"), "x"),
    ("not there, and must be", args(present=True), said("", "a"), took("a"), "x"),
    ("not in the list", args(contains="a"), took(["b"]), took(["b", "a"]), "x"),
    ("number in quotes", args(equals=1), took("1"), took(1), "x"),
    ("group broken up", calls({"unordered": ["a", "b"]}, "c", mode="in_order"),
     said("", "a", "c", "b"), said("", "b", "a", "c"), "b"),
    ("none but these", calls("a", "b", mode="subset"), said("", "a", "c"), said("", "a"), "c"),
    ("noise that counts", calls("a", mode="exact", ignore=["think*"]), said("", "thanks", "a"),
     said("", "think", "a"), "thanks"),
    ("mine of a change", {"minefields": [{"changed": "users"}]}, did(state_diff=REMOVED), did(),
     "users"),
    ("mine with an argument", {"minefields": [{"call": {"name": "a", "args": {"u": "/"}}}]},
     said("", call("a", u="/")), said("", call("a", u="/x")), "a"),
    ("milestone at the server", {"milestones": [{"name": "asked", "request": GET}]},
     did(entry(LIST)), did(entry(GET)), "asked"),
    ("made-up code", {"grounding": {"kinds": ["code"]}}, did(told=reply("It is QUOTA_LIMIT.")),
     did(told=reply("It is a quota.")), "QUOTA_LIMIT"),
    ("routed in words to another", {"routing": {"to": "fleet", "field": "route"}},
     said("", metadata={"route": "dlp"}), said("", metadata={"route": "fleet"}), "dlp"),
    ("did not say that it was done", {"stop": {"all": [{"content": ["Diagnosis:"]}]}}, said("Hm."),
     said("Diagnosis: quota"), "Diagnosis:"),
    ("later step outside its phase", {"phases": [{"first": 0, "last": 0, "tools": ["read"]},
     {"first": 1, "tools": ["write"]}]}, said("", "read", call("read", step=1)),
     said("", "read", call("write", step=1)), "step 1"),
    ("too few rows", state(expect=[{"collection": "users", "count": 2}]), holding({"name": "A"}),
     holding({"name": "A"}, {"name": "B"}), "1 found"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("expect", "bad", "good", "word"), [pytest.param(*pair[1:], id=pair[0]) for pair in PAIRS]
)
def test_the_bad_agent_is_stopped_with_a_reason_and_the_good_one_passes(
    expect: dict[str, Any], bad: TrialRecord, good: TrialRecord, word: str
) -> None:
    asked = case(*expectations(Expect.model_validate(expect)))
    passed, stopped = decide_trial(asked, good), decide_trial(asked, bad)
    assert (passed.status, passed.reason) == ("pass", "")
    assert stopped.status in {"fail", "agent_error"}
    assert word in stopped.reason, stopped.reason
    assert stopped.attribution == "agent"


def test_each_pair_is_a_kind_of_its_own() -> None:
    assert len({pair[0] for pair in PAIRS}) == len(PAIRS) >= 120
