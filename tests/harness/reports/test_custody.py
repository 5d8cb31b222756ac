"""What a reader is told of the evidence before trusting it."""

import json

from harness.model import Custody
from harness.reports import REPORTS
from harness.reports.custody import OPEN, custody_lines
from mockserver.model import Tampering
from tests.harness.example_run import example_run

STRANGER = Tampering(at="", attempt="GET /_mock/sessions", reason="no token", status=401)


def test_a_run_whose_evidence_is_in_order_says_nothing() -> None:
    assert custody_lines(example_run()) == []
    held = example_run().model_copy(update={"custody": (Custody(protected=True),)})
    assert custody_lines(held) == []


def test_an_open_server_and_strangers_are_told_in_every_report() -> None:
    planted = "trials/A/1.foreign-1.json"
    changed = "trials/B/2.json"
    last = Custody(protected=False, attempts=(STRANGER,), planted=(planted,), changed=(changed,))
    times = (Custody(protected=True), last)
    result = example_run().model_copy(update={"custody": times})
    refused = "refused to an unknown caller: GET /_mock/sessions (401)"
    assert custody_lines(result) == [
        OPEN,
        refused,
        f"not the harness's, and set aside: {planted}",
        f"not what the harness wrote: {changed}",
    ]
    assert OPEN in REPORTS["summary.md"](result)
    summary = json.loads(REPORTS["report.json"](result))["summary"]
    assert summary["custody"] == {
        "protected": False,
        "strangers": [{"attempt": "GET /_mock/sessions", "reason": "no token", "status": 401}],
        "planted": [planted],
        "changed": [changed],
    }
