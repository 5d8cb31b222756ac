import pytest

from mockserver.cli.specs import session_spec
from mockserver.errors import MockServerError
from mockserver.model import SessionSpec


def test_options_that_were_not_given_keep_their_defaults() -> None:
    assert session_spec(case=None, clock="real") == SessionSpec(clock="real")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"profile": "harsh"}, "--profile 'harsh': Input should be 'lenient', 'google' or"),
        ({"clock": "noon"}, "--clock 'noon': "),
        ({"journal_bytes": 1}, "--journal-bytes 1: "),
    ],
    ids=["profile", "clock", "unknown"],
)
def test_a_value_no_session_can_have_is_told_by_its_option(
    options: dict[str, str | int], says: str
) -> None:
    with pytest.raises(MockServerError) as caught:
        session_spec(**options)
    assert caught.value.message.startswith(says)
