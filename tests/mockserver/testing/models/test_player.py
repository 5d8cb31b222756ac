from pathlib import Path

import pytest

from mockserver.errors import InvalidFilesError, MockServerError
from mockserver.models.messages import Message, ModelRequest
from mockserver.testing.models import ScriptedModelError, ScriptPlayer
from tests.mockserver.testing.models.scripts import write_script


def request(text: str, *tools: str, system: str = "") -> ModelRequest:
    return ModelRequest("m", (Message("system", system), Message("user", text)), tools)


async def test_the_first_reply_that_fits_is_given_with_ids_of_the_seed(tmp_path: Path) -> None:
    path = write_script(tmp_path)
    ids = []
    for script in (path, tmp_path):
        reply = await ScriptPlayer(script).reply(request("The weather?", "get_weather"))
        assert (reply.calls[0].name, reply.calls[0].arguments) == ("get_weather", {"city": "Bonn"})
        ids.append(reply.calls[0].id)
    assert ids[0] == ids[1]
    other = await ScriptPlayer(path, seed=1).reply(request("The weather?", "get_weather"))
    assert other.calls[0].id != ids[0]
    assert (await ScriptPlayer(path).reply(request("late"))).text == "Well."


@pytest.mark.parametrize(
    ("text", "status", "kind", "said"),
    [
        ("limit", 429, "rate_limit", "The rate limit is reached"),
        ("own", 418, "odd", "I am a teapot."),
        ("bad", 500, "server_error", "replies/5 fails"),
        ("when", 500, "server_error", "replies/6 fails"),
        ("hello", 404, "no_reply", "agent.yaml#/replies/1 is nearest: result: wanted get_weather"),
    ],
)
async def test_what_is_no_reply_is_an_error_with_its_status(
    text: str, status: int, kind: str, said: str, tmp_path: Path
) -> None:
    player = ScriptPlayer(write_script(tmp_path))
    with pytest.raises(ScriptedModelError, match=said) as failed:
        await player.reply(request(text))
    assert (failed.value.status, failed.value.kind) == (status, kind)


def test_scripts_that_cannot_be_played_are_told(tmp_path: Path) -> None:
    with pytest.raises(MockServerError, match="has no scripts of models"):
        ScriptPlayer(tmp_path)
    path = write_script(tmp_path)
    path.write_text("replies: [{say: x}]")
    with pytest.raises(InvalidFilesError):
        ScriptPlayer(path)
