import json

import pytest

from mockserver.apis.reports import API
from mockserver.apis.reports.capture import CAPTURES
from mockserver.redaction import Redactor, RuleSet


def test_activities_are_told_by_time_qualifier_and_application() -> None:
    [capture] = CAPTURES["reports.activities.list"]
    assert (capture.collection, capture.items, len(capture.identity)) == ("auditEvents", "items", 3)


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ('{"parameters": [{"name": "TRIGGER_USER", "value": "corp-ada"}]}', "corp-ada"),
        ('{"parameters": [{"name": "CONTENT_NAME", "value": "Salaries.xlsx"}]}', "Salaries"),
    ],
)
def test_what_only_this_api_tells_is_redacted(text: str, gone: str) -> None:
    redactor = Redactor(RuleSet.default().with_rules_before(API.redaction()), b"k")
    made = redactor.redact_json(json.loads(text))
    assert gone not in json.dumps(made)
    assert redactor.redact_json(made) == made
