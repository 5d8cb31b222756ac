"""What the API's own rules find."""

import json

import pytest

from mockserver.apis.directory import API
from mockserver.redaction import Redactor, RuleSet


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ('{"groupId": "00gjdgxs1ab"}', "00gjdgxs1ab"),
        ('{"name": "groups/00gjdgxs1ab"}', "00gjdgxs1ab"),
        ('{"organizationName": "Acme Corp"}', "Acme"),
        ('{"externalIds": [{"value": "E-4711", "type": "organization"}]}', "4711"),
        ('{"relations": [{"value": "Bo Berg", "type": "spouse"}]}', "Berg"),
    ],
)
def test_what_only_this_api_tells_is_redacted(text: str, gone: str) -> None:
    redactor = Redactor(RuleSet.default().followed(API.redaction()), b"k")
    made = redactor.json(json.loads(text))
    assert gone not in json.dumps(made)
    assert redactor.json(made) == made
