from harness.agents import Transcript
from harness.model import Reply


def test_messages_hold_what_was_really_said_so_far() -> None:
    """CEPR-03: the history of a conversation holds the agent's own replies."""
    transcript = Transcript()
    transcript.answered(Reply(turn=1, prompt="First", text="One"))
    assert transcript.messages("Second") == [
        {"role": "user", "content": "First"},
        {"role": "assistant", "content": "One"},
        {"role": "user", "content": "Second"},
    ]
