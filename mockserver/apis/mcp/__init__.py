"""What a session has for MCP clients beside its tools: resources, prompts, completions, signing in.

Its models are loaded for the first snapshot that has something under `mcp`.
"""

from importlib import import_module

from mockserver.googleapi import Api, LazyHandlers, SnapshotImport

KEY = "mcp"
"""The key of a snapshot."""


def import_snapshot(found: SnapshotImport) -> None:
    """Note everything under `mcp` that cannot be served."""
    if found.raw.get(KEY) is not None:
        import_module(f"{__name__}.snapshot").note_problems(found)


API = Api(
    name="mcp",
    handlers=LazyHandlers(__name__),
    import_snapshot=import_snapshot,
)
