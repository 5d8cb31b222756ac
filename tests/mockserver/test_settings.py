"""What a server is started with."""

from mockserver.settings import Settings


def test_the_token_is_in_no_representation() -> None:
    assert "s3cret" not in repr(Settings(token="s3cret"))
