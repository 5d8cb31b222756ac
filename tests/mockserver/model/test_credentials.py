from mockserver.model import CREDENTIAL_KINDS, CredentialsEnd


def test_nothing_ends_unless_it_is_said() -> None:
    assert CredentialsEnd() == CredentialsEnd(expire=False, revoke="")
    assert CREDENTIAL_KINDS[0] == "service_account"
