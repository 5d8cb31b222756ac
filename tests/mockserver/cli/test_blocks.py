import json
import shlex
import shutil
import subprocess

import pytest
import yaml

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
    ("form", "line"),
    [
        (Format.FISH, r"set -gx ODD 'it\'s a \\ $HOME'"),
        (Format.POWERSHELL, r"$env:ODD = 'it''s a \ $HOME'"),
        (Format.DOCKER_COMPOSE, r'''      ODD: "it's a \\ $$HOME"'''),
    ],
    ids=lambda value: str(value)[:14],
)
def test_what_a_shell_would_read_otherwise_is_quoted(form: Format, line: str) -> None:
    assert line in format_block({"ODD": "it's a \\ $HOME"}, form).splitlines()


@pytest.mark.skipif(shutil.which("fish") is None, reason="there is no fish here")
def test_fish_reads_its_lines() -> None:
    script = format_block(BLOCK, Format.FISH) + '\nprintf "%s" "$ODD"'
    done = subprocess.run(["fish", "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == BLOCK["ODD"]


@pytest.mark.parametrize(("url", "mode"), [("http://127.0.0.1:1", "host"), ("http://h:1", None)])
def test_a_service_of_compose_has_variables_files_and_a_way_to_the_loopback(
    url: str, mode: str | None
) -> None:
    block = {**BLOCK, "MOCK_SERVER_URL": url, "SSL_CERT_FILE": "/a/ca.pem"}
    service = yaml.safe_load(format_block(block, Format.DOCKER_COMPOSE))["services"]["agent"]
    found = {name: value.replace("$$", "$") for name, value in service["environment"].items()}
    assert found == block
    assert "/a/ca.pem:/a/ca.pem:ro" in service["volumes"]
    assert service.get("network_mode") == mode


def test_a_service_without_files_mounts_none() -> None:
    service = yaml.safe_load(format_block({"A": "b"}, Format.DOCKER_COMPOSE))["services"]["agent"]
    assert service == {"environment": {"A": "b"}}


def test_settings_of_an_editor_hold_the_block_for_every_system() -> None:
    settings = json.loads(format_block(BLOCK, Format.VSCODE_SETTINGS))
    assert list(settings.values()) == [BLOCK] * 3
    assert "terminal.integrated.env.linux" in settings


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
    "command": "understudy",
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
