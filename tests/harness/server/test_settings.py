from harness.server import Settings


def test_secrets_are_in_no_repr() -> None:
    assert "s3cret" not in repr(Settings(token="s3cret", db="postgresql://u:s3cret@h/d"))


def test_a_server_is_reached_from_this_machine_alone_and_starts_no_programs() -> None:
    assert Settings().host == "127.0.0.1"
    assert Settings().allow_subprocess is False
