import pytest

from mockserver.models.providers.anthropic import _messages
from mockserver.models.providers.provider import WrongFormatError


def test_instructions_may_come_in_mid_conversation() -> None:
    [message] = _messages({"role": "system", "content": [{"type": "text", "text": "Be brief."}]})
    assert (message.role, message.text) == ("system", "Be brief.")


def test_a_role_that_there_is_not_is_refused() -> None:
    with pytest.raises(WrongFormatError, match="unknown role 'tool'"):
        _messages({"role": "tool", "content": "12"})
