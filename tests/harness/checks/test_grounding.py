from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.checks import grounding
from harness.checks.grounding import (
    find_origins,
    numbers_in,
    occurs,
    quotations,
    stands_for,
    texts_of,
)
from harness.checks.registry import check
from harness.model import CheckResult, Grounding, QuotedKind, TrialRecord
from mockserver.model import Journal
from tests.harness.records import entry, record, reply

BODY = '{"orgUnits": [{"orgUnitId": "id:03ph8a2z1x", "note": "ann\\u0040example.com"}]}'


def _trial(text: str, body: str = BODY, **facts: Any) -> TrialRecord:
    sent = entry("directory.orgunits.list", response_ref="r", response_bytes=len(body))
    journal = Journal(entries=(sent,), bodies={"r": body})
    return record(reply(text, prompt="Why is HD-17 open?"), session="s", journal=journal, **facts)


def _check(text: str, **rules: Any) -> CheckResult:
    return check(_trial(text), Grounding(**rules))


@pytest.mark.parametrize(
    ("text", "ungrounded"),
    [
        pytest.param("Unit 03PH8A2Z1X is Ann's (ann@example.com).", [], id="sent"),
        pytest.param("HD-17 is solved.", [], id="said-by-the-user"),
        pytest.param("Unit 03ph9999zz.", ["03ph9999zz"], id="invented"),
        pytest.param("Unit 03ph8a2z1.", ["03ph8a2z1"], id="only-a-part"),
        pytest.param("It works now.", [], id="nothing-quoted"),
    ],
)
def test_quotations_have_their_source_in_the_trial(text: str, ungrounded: list[str]) -> None:
    found = _check(text)
    assert found.numbers["ungrounded"] == ungrounded
    assert found.status == ("fail" if ungrounded else "pass")


def test_what_has_no_source_is_named() -> None:
    found = _check("See EX_1_A and bob@example.org.")
    assert found.reason == "no source in this trial has 'bob@example.org', 'EX_1_A'"


@pytest.mark.parametrize(
    ("verb", "status", "inner", "body", "passes"),
    [
        ("GET", 200, "", None, True),
        ("GET", 404, "", None, False),
        ("POST", 200, "", None, False),
        ("GET", 200, "", {"key": "HD-99"}, False),
        ("POST", 200, "GET", {"key": "HD-99"}, True),
        ("POST", 200, "PATCH", {"key": "HD-99"}, False),
    ],
)
def test_what_is_read_by_its_name_was_there(
    verb: str, status: int, inner: str, body: Any, passes: bool
) -> None:
    asked = entry("t.get", seq=1, path="/t/HD-99", http_method=verb, status=status, body=body,
                  response_ref="r", response_bytes=9)  # fmt: skip
    within = [entry("t.x", seq=2, parent=1, http_method=inner)] if inner else []
    journal = Journal(entries=(asked, *within), bodies={"r": '{"key": "HD-99"}'})
    trial = record(reply("It is HD-99.", prompt="Which?"), session="s", journal=journal)
    assert (check(trial, Grounding()).status == "pass") is passes


@pytest.mark.parametrize(
    ("reads", "status", "answer", "passes"),
    [
        (["get_*"], 200, '{"key": "HD-99"}', True),
        (["tools.get_ticket"], 200, '{"key": "HD-99"}', True),
        ([], 200, '{"key": "HD-99"}', False),
        (["set_*"], 200, '{"key": "HD-99"}', False),
        (["get_*"], 404, '{"key": "HD-99"}', False),
        (["get_*"], 200, '{"found": false}', False),
    ],
)
def test_a_case_says_which_tools_with_answers_of_their_own_only_read(
    reads: list[str], status: int, answer: str, passes: bool
) -> None:
    asked = entry("tools.get_ticket", seq=1, http_method="POST", body={"key": "HD-99"},
                  status=status, response_ref="r", response_bytes=9)  # fmt: skip
    journal = Journal(entries=(asked,), bodies={"r": answer})
    trial = record(reply("It is HD-99.", prompt="Which?"), session="s", journal=journal)
    assert (check(trial, Grounding(reads=tuple(reads))).status == "pass") is passes


def test_a_structured_answer_is_held_to_the_same() -> None:
    trial = _trial("ok")
    told = trial.replies[0].model_copy(update={"metadata": {"unit": "03ph9999zz"}})
    assert check(trial.model_copy(update={"replies": (told,)}), Grounding()).status == "fail"


def test_some_quotations_need_no_source() -> None:
    assert _check("Use SAFE_MODE.", allow=("safe_*",)).status == "pass"
    assert _check("Use SAFE_MODE.", kinds=("email",)).status == "pass"
    assert _check("Build 4711.", patterns=(r"\b\d{4}\b",)).status == "fail"


def test_an_answer_may_have_to_quote_something() -> None:
    assert _check("It works.", min=1).reason == "0 quotations, at least 1 expected"
    assert _check("HD-17 works.", min=1).status == "pass"


@pytest.mark.parametrize(
    ("trial", "reason"),
    [
        pytest.param(record(), "the agent gave no reply to look at", id="no-reply"),
        pytest.param(_trial(" "), "the agent gave no reply to look at", id="blank"),
        pytest.param(record("HD-17"), "no mock session was open, so nothing was sent", id="alone"),
        pytest.param(
            record(
                "HD-17",
                session="s",
                journal=Journal(entries=(entry("a", response_ref="gone", response_bytes=9),)),
            ).model_copy(update={"replies": (reply("HD-18"),)}),
            "not all responses of the server were kept",
            id="evicted",
        ),
    ],
)
def test_without_facts_nothing_is_decided(trial: TrialRecord, reason: str) -> None:
    found = check(trial, Grounding())
    assert (found.status, found.reason) == ("not_evaluated", reason)


def test_a_broken_pattern_decides_nothing() -> None:
    assert "cannot be used" in _check("x", patterns=("(",)).reason


@pytest.mark.parametrize(
    "body", ["unit 03ph9999zz", "base64:MDNwaDk5OTl6eg=="], ids=["text", "bytes"]
)
def test_bodies_that_are_no_json_are_read_as_text(body: str) -> None:
    found = check(_trial("Unit 03ph9999zz.", body), Grounding())
    assert found.status == ("pass" if body.startswith("unit") else "fail")


ALL: tuple[QuotedKind, ...] = ("email", "address", "uuid", "id", "code")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Ask ann.lee+x@mail.example.com.", ["ann.lee+x@mail.example.com"]),
        ("From 192.0.2.17 and 2001:db8:0:1::5.", ["192.0.2.17", "2001:db8:0:1::5"]),
        ("Id 3f2504e0-4f89-11d3-9a0c-0305e82c3301!", ["3f2504e0-4f89-11d3-9a0c-0305e82c3301"]),
        ("Unit id:03ph8a2z1x of C0123abcd", ["03ph8a2z1x", "C0123abcd"]),
        ("Ticket HD-17, rule dlp-9f8e7d.", ["HD-17", "dlp-9f8e7d"]),
        ("It says POLICY_LIMIT and E_404.", ["POLICY_LIMIT", "E_404"]),
        ("Step-2 of 3 took 100ms, 64KiB, at v1.2; top10, IPv4, UTF-8.", []),
        ("On 2026-11-20T09:00:00Z, or 2026-11-20 09:00:00.", []),
        ("C0123abcd and C0123abcd", ["C0123abcd"]),
        ("", []),
    ],
)
def test_quotations_are_found(text: str, found: list[str]) -> None:
    assert quotations(text, ALL, ()) == found


def test_only_the_kinds_that_are_asked_for_count() -> None:
    text = "ann1234@example.com has POLICY_LIMIT"
    assert quotations(text, ["id"], ()) == []
    assert quotations(text, ["code"], ()) == ["POLICY_LIMIT"]
    assert quotations("build 4711", [], [r"\d{4}"]) == ["4711"]


@pytest.mark.parametrize(
    ("piece", "text", "there"),
    [
        ("C01abc", "customer c01abc.", True),
        ("C01abc", "customer c01abcd", False),
        ("C01abc", "xc01abc c01abc", True),
        ("C01abc", "xc01abc", False),
        ("C01abc", "c01abcd e", False),
        ("C01abc", "c01abc", True),
        ("/Sales", "/sales/field", True),
        ("/Sales", "office/sales", True),
    ],
)
def test_a_piece_stands_by_itself(piece: str, text: str, there: bool) -> None:
    assert occurs(piece, text) is there


def test_keys_and_values_are_texts() -> None:
    texts = texts_of({"id7": [{"n": 1}, None, "x"]})
    assert sorted(texts) == ["1", "id7", "n", "x"]


@given(st.text(alphabet="aC0_-@. 1:", max_size=40))
def test_what_is_found_stands_in_the_text(text: str) -> None:
    for piece in quotations(text, ALL, ()):
        assert piece in text
        assert piece.strip()


PIECES = (
    "ann@x.org", "10.0.0.1", "fe80::1:2:3", "0a1b2c3d-0a1b-0a1b-0a1b-0a1b2c3d4e5f", "LIMIT_2",
    "2026-11-01T00:00", "5 km", "HD-17", "api-00042", "C0123abcd", "1.2", "a_b", "-", ":", " ",
)  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=6).map("".join))
def test_a_search_that_is_left_out_would_have_found_nothing(text: str) -> None:
    with pytest.MonkeyPatch.context() as patched:
        found = quotations(text, ALL, ())
        patched.setattr(grounding, "_NEEDED", {})
        assert quotations(text, ALL, ()) == found


MODEL = '{"choices": [{"message": {"content": "Order ZX-9911 costs 12 EUR."}}]}'
ASKED = {"model": "m", "messages": [{"role": "user", "content": "ZX-9912"}]}


def _traffic() -> TrialRecord:
    entries = (
        entry("orders.create", 1, http_method="POST", body={"ref": "AB-77"}, params={"key": "P7"},
              response_ref="a", response_bytes=9),
        entry("orders.list", 2, response_ref="b", response_bytes=9),
        entry("orders.get", 3, parent=2, params={"id": "inner-12345"}),
        entry("openai.chat.completions.create", 4, http_method="POST",
              path="/v1/chat/completions", body=ASKED, response_ref="m", response_bytes=9),
    )  # fmt: skip
    bodies = {
        "a": '{"ref": "AB-77", "id": "CD-88"}',
        "b": '[{"ref": "AB-77", "total_cents": 4500, "share": 0.1251, "note": "7 MiB free"}]',
        "m": MODEL,
    }
    journal = Journal(entries=entries, bodies=bodies)
    return record(reply("", prompt="Why is HD-17 open?"), session="s", journal=journal)


@pytest.mark.parametrize(
    ("piece", "origin", "is_source"),
    [
        ("HD-17", "prompt", True),
        ("CD-88", "request 1: orders.create", True),
        ("AB-77", "the agent, in request 1: orders.create", False),
        ("$45.00", "request 2: orders.list", True),
        ("13 %", "request 2: orders.list", True),
        ("7 MiB", "request 2: orders.list", True),
        ("46.00 USD", "", False),
        ("ZX-9911", "", False),
        ("ZX-9912", "", False),
        ("12 EUR", "", False),
        ("inner-12345", "", False),
    ],
)
def test_a_quotation_is_where_it_first_stands(piece: str, origin: str, is_source: bool) -> None:
    found = find_origins(_traffic(), [piece])[piece]
    assert (found.text, found.is_source) == (origin, is_source)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It was $1,234.50, or EUR 20 and 5 CHF.", ["$1,234.50", "EUR 20", "5 CHF"]),
        ("340 ms, 2.5 s, 12%, 13 percent, 7 days", ["340 ms", "2.5 s", "12%", "13 percent",
                                                   "7 days"]),
        ("64KiB, 5 GB at 20 °C and 90 km/h", ["64KiB", "5 GB", "20 °C", "90 km/h"]),
        ("3 orders, 5 of them, step 2, 10 messages, v1.2", []),
    ],
)  # fmt: skip
def test_amounts_have_units(text: str, found: list[str]) -> None:
    assert quotations(text, ["amount"], ()) == found


@given(st.integers(0, 10**7), st.sampled_from(["${}", "{} EUR", "{} dollars"]))
def test_an_amount_of_money_stands_for_its_cents(cents: int, form: str) -> None:
    amount = form.format(f"{cents / 100:,.2f}")
    assert stands_for(amount, [cents])
    assert stands_for(amount, [cents / 100])
    assert not stands_for(amount, [cents * 7 + 3, -1])
    assert numbers_in([amount]) == {cents / 100}
    assert not stands_for("much", [cents])


@pytest.mark.parametrize(
    ("amount", "numbers"),
    [
        ("3 cents", (3, 300)), ("13 percent", (13, 0.13)), ("340 ms", (340, 0.34)),
        ("3 seconds", (3, 3000)), ("5 mins", (5, 300, 300_000)),
        ("2 hours", (2, 120, 7200, 7_200_000)), ("3 days", (3, 72, 259_200)),
        ("5 KiB", (5, 5000, 5120)), ("5 MB", (5, 5000, 5120, 5 * 10**6, 5 * 2**20)),
        ("5 GB", (5, 5000, 5120, 5 * 10**9, 5 * 2**30)),
        ("5 TB", (5, 5000, 5120, 5 * 10**12, 5 * 2**40)), ("90 km/h", (90,)), ("2 kg", (2, 2000)),
        ("$7", (7, 700)), ("12%", (12, 0.12)), ("20 °C", (20,)),
    ],
)  # fmt: skip
def test_a_unit_is_so_many_smaller_ones(amount: str, numbers: tuple[float, ...]) -> None:
    assert all(stands_for(amount, [number]) for number in numbers)
    others = {scale * numbers[0] for scale in (0.01, 0.001, 1, 2, 10, 24, 60, 100, 1000, 1024)}
    others = {each for each in others if all(abs(each - one) > 0.6 for one in numbers)}
    assert not any(stands_for(amount, [number]) for number in others)


@pytest.mark.parametrize(
    ("amount", "number", "stands"),
    [("9 kg", 9.4, False), ("10 kg", 10.5, True), ("10 kg", 10.51, False), ("2.5 kg", 2.45, True),
     ("2.5 kg", 2.44, False)],
)  # fmt: skip
def test_an_amount_is_as_exact_as_it_is_written(amount: str, number: float, stands: bool) -> None:
    assert stands_for(amount, [number]) is stands
