"""Names of fields as rules write them."""

import pytest

from mockserver.redaction.rule import normalised_name


@pytest.mark.parametrize("name", ["access_token", "accessToken", "Access-Token", "$access.token"])
def test_the_writing_of_a_name_does_not_count(name: str) -> None:
    assert normalised_name(name) == "accesstoken"
