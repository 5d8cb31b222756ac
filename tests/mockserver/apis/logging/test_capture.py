import json

import pytest

from mockserver.apis.logging import API
from mockserver.redaction import Redactor, RuleSet


def test_buckets_of_projects_folders_and_organizations_are_one_collection() -> None:
    captured = API.captures()
    names = {
        captures[0].collection for name, captures in captured.items() if name.endswith("views.list")
    }
    assert names == {"logViews"}
    assert "logging.organizations.locations.buckets.list" in captured


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ('{"resource": {"labels": {"instance_id": "4711471147114711"}}}', "4711"),
        ('{"principalSubject": "corp-ada"}', "corp-ada"),
    ],
)
def test_what_only_this_api_tells_is_redacted(text: str, gone: str) -> None:
    redactor = Redactor(RuleSet.default().with_rules_before(API.redaction()), b"k")
    made = redactor.redact_json(json.loads(text))
    assert gone not in json.dumps(made)
    assert redactor.redact_json(made) == made
