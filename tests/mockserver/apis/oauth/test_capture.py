"""What the API's own rules find."""

import json

import pytest

from mockserver.apis.oauth import API
from mockserver.redaction import Redactor, RuleSet


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ('{"aud": "123456789-abcdefghijklmnopqrst.apps.googleusercontent.com"}', "123456789"),
    ],
)
def test_what_only_this_api_tells_is_redacted(text: str, gone: str) -> None:
    redactor = Redactor(RuleSet.default().with_rules_before(API.redaction()), b"k")
    made = redactor.redact_json(json.loads(text))
    assert gone not in json.dumps(made)
    assert redactor.redact_json(made) == made
