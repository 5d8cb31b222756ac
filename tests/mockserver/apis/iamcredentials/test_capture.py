"""What the API's own rules find."""

import json

import pytest

from mockserver.apis.iamcredentials import API
from mockserver.redaction import Redactor, RuleSet


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ('{"signedBlob": "c2lnbmVk"}', "c2lnbmVk"),
    ],
)
def test_what_only_this_api_tells_is_redacted(text: str, gone: str) -> None:
    redactor = Redactor(RuleSet.default().with_rules_before(API.redaction()), b"k")
    made = redactor.redact_json(json.loads(text))
    assert gone not in json.dumps(made)
    assert redactor.redact_json(made) == made
