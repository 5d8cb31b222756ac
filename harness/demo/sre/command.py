"""The agent as a command: a question on stdin and one JSON object on stdout, or a server."""

import argparse
import json
import os
import sys

from harness.demo.google import Access
from harness.demo.messages import user_messages
from harness.demo.sre.agent import answer
from harness.demo.sre.flaws import FLAWS, sre_flaws
from harness.demo.sre.wire import as_json


def main(arguments: list[str] | None = None) -> int:
    """Answer what stands on stdin, or serve until stopped; exit code 2 without a question."""
    options = _parser().parse_args(arguments)
    flaws = sre_flaws(options.flawed)
    if options.port:
        import uvicorn

        from harness.demo.sre.server import application

        app = application(os.environ, flaws)
        uvicorn.run(app, host=options.host, port=options.port, log_level="warning")
        return 0
    try:
        asked = user_messages(_read(sys.stdin.read()))
    except ValueError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    if not asked or not asked[-1].strip():
        sys.stderr.write("no question on stdin\n")
        return 2
    access = Access.of(os.environ)
    if options.google_hosts:
        access = Access("", access.token)
    reply = answer(asked[-1], access, flaws)
    sys.stdout.write(json.dumps(as_json(reply), default=str) + "\n")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m harness.demo.sre",
        description="Answers a question about a cloud project, read from stdin as text or as a"
        " conversation in JSON; with --port it serves the API of an ADK server and"
        " /v1/chat/completions. GOOGLE_API_BASE_URL and GOOGLE_OAUTH_ACCESS_TOKEN say where and as"
        " whom to ask Google.",
    )
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0, help="serve on this port")
    parser.add_argument(
        "--google-hosts",
        action="store_true",
        help="ask googleapis.com itself, wherever the environment's proxy leads",
    )
    parser.add_argument("--flawed", choices=[*FLAWS], default="", help="be a worse agent")
    return parser


def _read(text: str) -> object:
    try:
        body: object = json.loads(text)
    except ValueError:
        return text
    return body if isinstance(body, dict | list) else text
