import json

import pytest

from mockserver.apis.cloudidentity import API
from mockserver.apis.cloudidentity.capture import CAPTURES
from mockserver.redaction import Redactor, RuleSet


def test_listed_and_single_policies_are_one_collection() -> None:
    names = {capture.collection for captures in CAPTURES.values() for capture in captures}
    assert names == {"identityPolicies"}


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ('{"name": "policies/akajj264apgib"}', "akajj264apgib"),
        ('{"name": "groups/02grqrue1x/memberships/1045"}', "02grqrue1x"),
    ],
)
def test_what_only_this_api_tells_is_redacted(text: str, gone: str) -> None:
    redactor = Redactor(RuleSet.default().with_rules_before(API.redaction()), b"k")
    made = redactor.redact_json(json.loads(text))
    assert gone not in json.dumps(made)
    assert redactor.redact_json(made) == made
