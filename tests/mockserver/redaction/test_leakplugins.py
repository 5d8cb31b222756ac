import pytest

from mockserver.redaction.unknown_secrets import find_vendor_secrets

EXAMPLES = {
    "aws_access_key": "AKIA" + "IOSFODNN7EXAMPLE",
    "github_token": "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8",
    "slack_token": "xoxb-" + "123456789012-123456789012-abcdefghij",
    "stripe_access_key": "sk_live_" + "a1b2c3d4e5f6g7h8i9j0k1l2",
    "basic_auth_credentials": "https://ann:" + "hunter2@corp.test/",
    "private_key": "-----BEGIN RSA " + "PRIVATE KEY-----",
    "mailchimp_access_key": "0123456789abcdef0123456789abcdef" + "-us12",
}


@pytest.mark.parametrize("kind", EXAMPLES, ids=str)
def test_what_vendors_hand_out_is_found(kind: str) -> None:
    content = b'first line\n{"text": "see ' + EXAMPLES[kind].encode() + b'", "more": 1}'
    assert kind in {found for _, _, found in find_vendor_secrets(content)}


def test_a_place_is_that_of_the_secret() -> None:
    content = b"x" * 5000 + b" " + EXAMPLES["github_token"].encode()
    assert {at for at, _, _ in find_vendor_secrets(content)} == {5001}


def test_ordinary_text_has_nothing() -> None:
    assert not list(find_vendor_secrets(b"https://example.com/ a@b SG.x AKIA short"))
