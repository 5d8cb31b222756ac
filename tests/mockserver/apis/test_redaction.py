"""What the rules of single APIs find."""

import json

import pytest

from mockserver.apis.chromemanagement import API as CHROMEMANAGEMENT
from mockserver.apis.cloudidentity import API as CLOUDIDENTITY
from mockserver.apis.directory import API as DIRECTORY
from mockserver.apis.iamcredentials import API as IAMCREDENTIALS
from mockserver.apis.logging import API as LOGGING
from mockserver.apis.oauth import API as OAUTH
from mockserver.apis.reports import API as REPORTS
from mockserver.googleapi import Api
from mockserver.redaction import Redactor, RuleSet


@pytest.mark.parametrize(
    ("api", "text", "gone"),
    [
        (CHROMEMANAGEMENT, '{"tokenPermanentId": "a1b2c3d4"}', "a1b2c3d4"),
        (CHROMEMANAGEMENT, '{"wifiSsid": "Home of Ada"}', "Ada"),
        (CHROMEMANAGEMENT, '{"lastLoggedInUser": "corp-ada"}', "corp-ada"),
        (CLOUDIDENTITY, '{"name": "policies/akajj264apgib"}', "akajj264apgib"),
        (CLOUDIDENTITY, '{"name": "groups/02grqrue1x/memberships/1045"}', "02grqrue1x"),
        (DIRECTORY, '{"groupId": "00gjdgxs1ab"}', "00gjdgxs1ab"),
        (DIRECTORY, '{"name": "groups/00gjdgxs1ab"}', "00gjdgxs1ab"),
        (DIRECTORY, '{"organizationName": "Acme Corp"}', "Acme"),
        (DIRECTORY, '{"externalIds": [{"value": "E-4711", "type": "organization"}]}', "4711"),
        (DIRECTORY, '{"relations": [{"value": "Bo Berg", "type": "spouse"}]}', "Berg"),
        (IAMCREDENTIALS, '{"signedBlob": "c2lnbmVk"}', "c2lnbmVk"),
        (LOGGING, '{"resource": {"labels": {"instance_id": "4711471147114711"}}}', "4711"),
        (LOGGING, '{"principalSubject": "corp-ada"}', "corp-ada"),
        (
            OAUTH,
            '{"aud": "123456789-abcdefghijklmnopqrst.apps.googleusercontent.com"}',
            "123456789",
        ),
        (REPORTS, '{"parameters": [{"name": "TRIGGER_USER", "value": "corp-ada"}]}', "corp-ada"),
        (
            REPORTS,
            '{"parameters": [{"name": "CONTENT_NAME", "value": "Salaries.xlsx"}]}',
            "Salaries",
        ),
    ],
)
def test_what_only_an_api_tells_is_redacted(api: Api, text: str, gone: str) -> None:
    redactor = Redactor(RuleSet.default().with_rules_before(api.redaction()), b"k")
    made = redactor.redact_json(json.loads(text))
    assert gone not in json.dumps(made)
    assert redactor.redact_json(made) == made
