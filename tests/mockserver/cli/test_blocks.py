import json
import shlex
import subprocess

import pytest

from mockserver.cli.blocks import Format, files_of, format_block

BLOCK = {
    "MOCK_SERVER_URL": "http://127.0.0.1:8765",
    "SSL_CERT_FILE": "/a b/bundle.pem",
    "NODE_EXTRA_CA_CERTS": "/a b/ca.pem",
    "NODE_OPTIONS": '--require="/a b/preload.cjs"',
    "ODD": 'it\'s $HOME `x` "y"',
}


def test_a_shell_reads_back_what_is_exported() -> None:
    script = format_block(BLOCK, Format.SH) + '\nprintf "%s|" "$ODD" "$NODE_OPTIONS"'
    done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == f"{BLOCK['ODD']}|{BLOCK['NODE_OPTIONS']}|"


def test_a_file_has_a_quoted_line_a_variable() -> None:
    lines = format_block(BLOCK, Format.DOTENV).splitlines()
    assert lines[0] == 'MOCK_SERVER_URL="http://127.0.0.1:8765"'
    assert lines[3] == r'NODE_OPTIONS="--require=\"/a b/preload.cjs\""'


def test_a_program_reads_json() -> None:
    assert json.loads(format_block(BLOCK, Format.JSON)) == BLOCK


@pytest.mark.parametrize(
    ("url", "shares"),
    [("http://127.0.0.1:1", True), ("http://localhost:1", True), ("http://mock:1", False)],
)
def test_a_container_gets_variables_files_and_the_way_to_a_loopback(
    url: str, *, shares: bool
) -> None:
    options = shlex.split(format_block({**BLOCK, "MOCK_SERVER_URL": url}, Format.DOCKER))
    assert f"--env=ODD={BLOCK['ODD']}" in options
    assert "--volume=/a b/ca.pem:/a b/ca.pem:ro" in options
    assert "--volume=/a b/preload.cjs:/a b/preload.cjs:ro" in options
    assert ("--network=host" in options) is shares


def test_a_block_without_files_names_none() -> None:
    assert files_of({"NODE_OPTIONS": "--inspect"}) == ()


ENDPOINT = {"url": "http://127.0.0.1:8765/s/s1/mcp", "headers": {"Authorization": "Bearer t"}}
COMMAND = {
    "command": "mockserver",
    "args": ["mcp", "--url", "http://127.0.0.1:8765", "--session", "s1"],
}


@pytest.mark.parametrize(
    ("form", "key", "server"),
    [
        (Format.MCP_JSON, "mcpServers", COMMAND),
        (Format.CLAUDE, "mcpServers", {"type": "http", **ENDPOINT}),
        (Format.VSCODE, "servers", {"type": "http", **ENDPOINT}),
        (Format.CURSOR, "mcpServers", ENDPOINT),
    ],
)
def test_an_mcp_client_reads_its_configuration(form: Format, key: str, server: object) -> None:
    block = {**BLOCK, "MOCK_SESSION": "s1", "GOOGLE_OAUTH_ACCESS_TOKEN": "t"}
    assert json.loads(format_block(block, form)) == {key: {"understudy": server}}
