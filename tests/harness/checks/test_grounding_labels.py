"""How often grounding is right, on answers labelled by hand; its page has the figures."""

import json
import re
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from harness.checks.registry import check
from harness.model import Grounding, TrialRecord
from mockserver.model import Journal
from tests.harness.records import entry, record, reply

HERE = Path(__file__)
PAGE = HERE.parents[3] / "docs" / "explanation" / "grounding.md"
LABELS = yaml.safe_load(HERE.with_name("grounding_labels.yaml").read_text(encoding="utf-8"))


class Measured(NamedTuple):
    """What came of the labelled answers."""

    answers: int
    invented: int
    found: int
    missed: list[str]
    false: list[str]


def labelled_trial(label: dict[str, Any]) -> TrialRecord:
    entries, bodies = [], {}
    for at, value in enumerate(label["served"], 1):
        body = value if isinstance(value, str) else json.dumps(value, default=str)
        bodies[f"r{at}"] = body
        sent = label.get("sent", [])
        entries.append(
            entry("orders.get", seq=at, response_ref=f"r{at}", response_bytes=len(body),
                  body=sent[at - 1] if at <= len(sent) else None)
        )  # fmt: skip
    journal = Journal(entries=tuple(entries), bodies=bodies)
    return record(reply(label["answer"], prompt=label["prompt"]), session="s", journal=journal)


def measure() -> Measured:
    found, missed, false, invented = 0, [], [], 0
    for label in LABELS:
        flagged = check(labelled_trial(label), Grounding()).numbers["ungrounded"]
        facts = label.get("invented", [])
        invented += len(facts)
        caught = [fact for fact in facts if any(each in fact or fact in each for each in flagged)]
        found += len(caught)
        missed += [fact for fact in facts if fact not in caught]
        false += [each for each in flagged if not any(each in fact or fact in each
                                                      for fact in facts)]  # fmt: skip
    return Measured(len(LABELS), invented, found, missed, false)


@pytest.mark.parametrize("label", LABELS, ids=range(len(LABELS)))
def test_every_label_stands_in_its_answer(label: dict[str, Any]) -> None:
    facts = [*label.get("known", []), *label.get("invented", [])]
    assert facts
    assert [fact for fact in facts if str(fact) not in label["answer"]] == []


def test_the_page_prints_what_is_measured() -> None:
    told = measure()
    flagged = told.found + len(told.false)
    page = re.sub(r"\s+", " ", PAGE.read_text(encoding="utf-8"))
    assert f"{told.answers} answers with {told.invented} invented facts" in page
    assert (
        f"| {told.found} of {told.invented} ({told.found / told.invented:.0%}) "
        f"| {told.found} of {flagged} ({told.found / flagged:.0%}) |"
    ) in page
    for each in (*told.missed, *told.false):
        assert f"`{each}`" in page
