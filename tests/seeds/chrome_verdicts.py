"""Verdicts on generated answers, held against the chrome suite's own scoring.

Its scoring removes hyphens and underscores, turns all other signs into spaces, and looks each
marker, criterion or synonym up as a piece of the text, within words too. Ours looks for whole
words, so the two differ; each difference here has a name and a reason, and none is without one.
"""

import json
import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from harness.cases import read_suite
from harness.checks import check
from harness.checks.text import Text, fold
from harness.model import Case, Evidence, ForbiddenEvidence, ReplySchema, Rubric, Signals
from tests.harness.records import record, reply
from tests.seeds.rows import Row

ANSWERS = 500

SYNONYMS: dict[str, frozenset[str]] = {
    "issue": frozenset({"block", "detect", "fail", "indicate", "problem", "show", "trigger"}),
    "evidence": frozenset(
        {"audit", "connector", "data", "event", "log", "output", "policy", "result", "rule"}
    ),
    "recommend": frozenset(
        {"apply", "configure", "enable", "enforce", "set up", "suggest", "try", "use"}
    ),
}
SECTIONS: dict[str, tuple[str, ...]] = {
    "diagnosis": (r"\bdiagnos[ei]s?\b", r"\broot cause\b", r"\bfinding\b"),
    "evidence": (r"\bevidence\b", r"\bfound\b.{0,30}\b(?:event|log|error|data)\b"),
    "hypotheses": (r"\bhypothes[ei]s\b", r"\bpossible cause\b", r"\blikely\b"),
    "next_steps": (r"\bnext step\b", r"\brecommend\b", r"\baction item\b"),
    "reference": (r"\breference\b", r"\bdocumentation\b"),
}
SIGNALS = (
    *("applied", "cause", "change", "check", "configur", "creat", "diagnosis", "disabl", "draft"),
    *("enabl", "error", "evidence", "found", "hypothesis", "investigat", "issue", "next", "policy"),
    *("recommend", "reference", "steps", "success", "suggest"),
)

PIECE = "a piece of a longer word or number; ours asks for whole words"
SIGN = "a sign that ours keeps (address, path, amount), which its scoring drops"
SPELLING = "an inflected form with another spelling, which ours accepts"
HYPHEN = "a hyphen between two words, which ours reads as a space too and its scoring drops"
NONE_SAID = "an empty answer shows nothing, so that ours does not decide what it must not show"
SYNONYM = "a phrase of ours that stands for the criterion"
STRUCTURE = "fields are looked for as headings, labels or JSON, not as words in running text"

_FILLER = (
    *("The device", "Users", "Our logs", "It seems that", "Please", "In the console", "At 10:42"),
    *("the request", "was handled", "was seen", "and then", "but not", "because of", "with", "for"),
)


def rows(project: Path) -> Iterator[Row]:
    """Evidence, forbidden evidence, rubric and schema of 500 answers to the suite's cases."""
    entries = json.loads((project / "evals/registry.json").read_bytes())["cases"]
    yield from compared(entries, {case.id: case for case in read_suite(project / "evals").cases})


def compared(
    entries: Sequence[dict[str, Any]], cases: dict[str, Case], answers: int = ANSWERS
) -> Iterator[Row]:
    """Every verdict on generated answers, check by check."""
    draw = random.Random(20)
    named: dict[str, Counter[str]] = {}
    total: Counter[str] = Counter()
    for number in range(answers):
        entry = entries[number % len(entries)]
        text = answer(entry, draw)
        for name, theirs, ours, why in _verdicts(entry, cases[entry["id"]], text):
            total[name] += 1
            if theirs != ours:
                told = why or f"UNNAMED {entry['id']}: theirs {theirs}, ours {ours}: {text!r}"
                named.setdefault(name, Counter())[told[:400]] += 1
    for name, count in total.items():
        differ = named.get(name, Counter())
        unnamed = sum(times for told, times in differ.items() if told.startswith("UNNAMED"))
        notes = tuple(f"{times} x {told}" for told, times in differ.most_common(8))
        yield Row(f"chrome: {name} on generated answers", count - unnamed, count, notes)


def answer(entry: dict[str, Any], draw: random.Random) -> str:
    """An answer that shows some of what a case asks for, inflected, joined or cut at times."""
    asked = [*(entry.get("required_evidence") or ()), *(entry.get("forbidden_evidence") or ())]
    asked += (entry.get("rubric") or {}).get("criteria", ())
    for words in SYNONYMS.values():
        asked += draw.sample(sorted(words), 2)
    if draw.random() < 0.02:
        return ""
    share = draw.choice((0.2, 0.6, 0.95))
    said = [_varied(each, draw) for each in asked if draw.random() < share]
    said += draw.choices(_FILLER, k=draw.randint(1, 12))
    draw.shuffle(said)
    return draw.choice((" ", ". ", "\n", ", ")).join(said)


def _varied(phrase: str, draw: random.Random) -> str:
    vary = draw.random()
    if vary < 0.6:
        return phrase
    changes = (
        lambda text: f"{text}s",
        lambda text: f"{text}ing",
        lambda text: text.upper(),
        lambda text: text.replace(" ", "-"),
        lambda text: text.replace("-", ""),
        lambda text: f"un{text}",
        lambda text: f"{text}0",
        lambda text: f"**{text}**",
        lambda text: text[:-1],
        lambda text: f"{text[:-1]}ied" if text.endswith("y") else f"{text}ed",
        lambda text: f"{text}.5",
    )
    return draw.choice(changes)(phrase)


def _verdicts(
    entry: dict[str, Any], case: Case, text: str
) -> Iterator[tuple[str, bool, bool, str]]:
    trial = record(reply(text))
    plain = cleaned(text)
    for expected in case.expect:
        if expected.turn is not None:
            continue
        match expected:
            case Evidence():
                lacking = [
                    each for each in entry["required_evidence"] if cleaned(each) not in plain
                ]
                missing = list(check(trial, expected).numbers["missing"])
                why = _reasons({*lacking} ^ {*missing}, text, plain)
                yield "required evidence", not lacking, not missing, why
            case ForbiddenEvidence():
                seen = [each for each in entry["forbidden_evidence"] if cleaned(each) in plain]
                result = check(trial, expected)
                found = list(result.numbers.get("found", ()))
                why = _reasons({*seen} ^ {*found}, text, plain) if text.strip() else NONE_SAID
                yield "forbidden evidence", not seen, not found, why
            case Rubric():
                yield "rubric", *_rubric(entry["rubric"], expected, text)
            case ReplySchema():
                theirs = structured(text, entry["expected_schema"])
                yield "schema", theirs, check(trial, expected).status == "pass", STRUCTURE
            case Signals():
                theirs = structured(text, entry.get("expected_schema") or ())
                yield "structural signals", theirs, check(trial, expected).status == "pass", ""
            case _:
                continue


def _rubric(entry: dict[str, Any], expected: Rubric, text: str) -> tuple[bool, bool, str]:
    plain = cleaned(text)
    theirs = {each for each in entry["criteria"] if _meets(each, plain)}
    result = check(record(reply(text)), expected)
    ours = set(result.numbers["met"])
    reasons = []
    for criterion in theirs ^ ours:
        phrases = (criterion, *SYNONYMS.get(cleaned(criterion), ()))
        if criterion in ours:
            reasons.append(_reason(criterion, text, plain) or SYNONYM)
        else:
            hits = [each for each in phrases if cleaned(each) in plain]
            reasons.append(next((why for hit in hits if (why := _reason(hit, text, plain))), ""))
    why = "; ".join(sorted(set(reasons))) if all(reasons) else ""
    least = entry["min_score"]
    return len(theirs) >= least, len(ours) >= least, why


def _meets(criterion: str, plain: str) -> bool:
    name = cleaned(criterion)
    return name in plain or any(cleaned(each) in plain for each in SYNONYMS.get(name, ()))


def _reasons(differing: set[str], text: str, plain: str) -> str:
    """Why markers come out otherwise, or an empty string where one has no reason."""
    reasons = [_reason(each, text, plain) for each in differing]
    return "; ".join(sorted(set(reasons))) if all(reasons) else ""


def _reason(marker: str, text: str, plain: str) -> str:
    wanted = cleaned(marker)
    whole = re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", plain) is not None
    if wanted in plain and not Text(text).holds(marker):
        if not whole:
            return PIECE
        return SIGN if re.search(r"[^\w\s]|\d", marker) or re.search(r"\d", wanted) else ""
    if wanted not in plain and Text(text).holds(marker):
        if wanted in cleaned(re.sub(r"[-_]", " ", text)):
            return HYPHEN
        return (
            SPELLING
            if not Text(text).holds(marker, exact=True)
            else SIGN * (fold(marker).split() != wanted.split())
        )
    return ""


def structured(text: str, fields: Sequence[str]) -> bool:
    """Whether an answer is structured: its sections by their words, or signals enough."""
    lower = text.lower()
    if not fields:
        return (
            len(lower.encode("utf-16-le")) >= 2 * 50
            and sum(signal in lower for signal in SIGNALS) >= 2
        )
    return all(
        any(re.search(pattern, lower) for pattern in SECTIONS.get(field, (re.escape(field),)))
        for field in fields
    )


def cleaned(text: str) -> str:
    """A text as the suite's scoring compares it."""
    lower = re.sub(r"[-_]", "", text.lower())
    return " ".join(re.sub(r"[^\w\s]", " ", lower, flags=re.ASCII).split())
