"""Packages of PyPI that tests meet as clients, in folders outside of the repository."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.clients.node import cache_folder

WANTED = (
    "google-auth-oauthlib==1.5.0",
    "google-cloud-bigquery-storage==2.43.0",
    "google-cloud-bigquery==3.47.0",
    "google-cloud-firestore==2.34.1",
    "google-cloud-pubsub==2.44.0",
    "google-cloud-secret-manager==2.32.0",
    "google-cloud-storage==3.17.1",
)
FRAMEWORKS = (
    "google-adk==2.13.0",
    "langchain-mcp-adapters==0.3.2",
    "langchain-openai==1.7.3",
    "langgraph==1.2.22",
    "openai-agents==0.24.0",
    "pydantic-ai-slim[mcp,openai]==2.68.0",
    "smolagents==1.26.0",
)
GOOGLE_TOOLS = (
    "google-adk==2.13.0",
    "google-api-python-client==2.202.0",
    "langchain-google-community[calendar,gmail]==5.1.1",
    "PySocks==1.7.1",
)
LANGGRAPH_SERVER = ("langchain-openai==1.7.3", "langgraph-cli[inmem]==0.4.40")
STORES = ("fsspec==2026.7.0", "s3fs==2026.7.0", "moto[server]==5.2.5")
CREWAI = ("crewai==1.15.30",)
GAM = ("gam7==7.49.0",)
STRANDS = ("strands-agents==1.62.0",)
AUTOGEN = ("autogen-core==0.7.5",)
AGENT_FRAMEWORK = ("agent-framework-core==1.23.0",)
CLAUDE_AGENT = ("claude-agent-sdk==0.2.187",)
_PATIENCE_S = 300


def packages_of_google() -> Path | str:
    """The folder of packages, installed when it is not there yet, or why there is none.

    They want other versions than the project does, and the server is to meet clients whose
    packages it does not have.
    """
    return packages_of("google-clients-2", *WANTED)


def packages_of_frameworks() -> Path | str:
    """The same of frameworks for agents, all in one folder."""
    return packages_of("frameworks-1", *FRAMEWORKS)


def packages_of_google_tools() -> Path | str:
    """The same of frameworks that have tools for Google's APIs."""
    return packages_of("google-tools-1", *GOOGLE_TOOLS)


def packages_of_stores() -> Path | str:
    """The same of S3's client, and of a server that speaks as S3 does."""
    return packages_of("stores-1", *STORES)


def packages_of(name: str, *wanted: str) -> Path | str:
    """A folder with packages of PyPI, installed when it is not there yet, or why there is none.

    Args:
        name: The folder's name.
        wanted: `name==version` of each.
    """
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    folder = cache_folder() / f"{name}-python{version}"
    if folder.is_dir():
        return folder
    draft = folder.with_name(f".{folder.name}.{os.getpid()}")
    draft.mkdir(parents=True, exist_ok=True)
    said = _install(draft, wanted)
    if not said:
        try:
            draft.rename(folder)
        except OSError:  # another process was faster
            said = "" if folder.is_dir() else f"{folder} cannot be made"
    shutil.rmtree(draft, ignore_errors=True)
    return said or folder


def _install(folder: Path, wanted: tuple[str, ...]) -> str:
    # compiling is left to those who import: of a framework that is a small part
    options = ("--quiet", "--no-compile", "--target", str(folder))
    command = (sys.executable, "-m", "pip", "install", *options, *wanted)
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_PATIENCE_S, check=False
        )
    except subprocess.TimeoutExpired:
        return f"pip took more than {_PATIENCE_S} s"
    return "" if done.returncode == 0 else f"pip cannot install them: {done.stderr[-300:]}"
