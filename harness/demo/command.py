"""The agent as a command: a prompt or a conversation on stdin, one JSON object on stdout."""

import argparse
import json
import os
import sys
from typing import Any

from harness.demo.agent import Conversation, Reply, reply_to
from harness.demo.flaws import FLAWS, flaws_named
from harness.demo.google import Access
from harness.demo.messages import user_messages


def main(arguments: list[str] | None = None) -> int:
    """Answer what stands on stdin; exit code 2 when there is no question in it."""
    parser = argparse.ArgumentParser(
        prog="python -m harness.demo.command",
        description="Answers a question about Chrome Enterprise. Reads a prompt, or a conversation"
        " as JSON, from stdin; GOOGLE_API_BASE_URL and GOOGLE_OAUTH_ACCESS_TOKEN say where and as"
        " whom to ask Google.",
    )
    parser.add_argument("--flawed", choices=[*FLAWS], default="", help="be a worse agent")
    options = parser.parse_args(arguments)
    try:
        conversation = Conversation.of(user_messages(_read(sys.stdin.read())))
    except ValueError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    reply = reply_to(conversation, Access.of(os.environ), flaws_named(options.flawed))
    sys.stdout.write(json.dumps(as_json(reply)) + "\n")
    return 0


def _read(text: str) -> Any:
    try:
        body = json.loads(text)
    except ValueError:
        return text
    return body if isinstance(body, dict | list | str) else text


def as_json(reply: Reply) -> dict[str, Any]:
    """A reply as programs read it."""
    return {
        "text": reply.answer.text(),
        "metadata": reply.answer.metadata(),
        "toolCalls": [
            {"name": use.name, "args": use.args, "status": use.status, "step": use.step}
            for use in reply.tool_uses
        ],
        "rounds": reply.rounds,
    }


if __name__ == "__main__":
    sys.exit(main())
