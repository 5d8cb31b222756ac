"""Packs Google's Discovery documents into the wheel, out of the client package of the build.

A checkout (an editable wheel) reads them from the client that is installed.
"""

import importlib.util
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACKAGE = "google-api-python-client"
ROOM = "mockserver/googleapi"


class CustomBuildHook(BuildHookInterface[Any]):
    """Adds the pack to the files of the wheel."""

    _pack: Path | None = None

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the pack into the folder of the build."""
        if version == "editable":
            return
        module = _load(Path(self.root, ROOM, "document_pack.py"))
        client = distribution(PACKAGE)
        folder = Path(str(client.locate_file("googleapiclient/discovery_cache/documents")))
        licence = client.metadata["License-Expression"] or client.metadata["License"]
        origin = module.Origin(PACKAGE, client.version, licence)
        target = self._pack = Path(self.directory, module.FILE)
        target.parent.mkdir(parents=True, exist_ok=True)
        count = module.write_pack(target, origin, folder)
        self.app.display_info(f"{count} Discovery documents of {PACKAGE} {client.version}")
        build_data["force_include"][str(target)] = f"{ROOM}/{module.FILE}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the pack, which is in the wheel now."""
        if self._pack is not None:
            self._pack.unlink(missing_ok=True)


def _load(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location("document_pack", path)
    if spec is None or spec.loader is None:
        raise FileNotFoundError(path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
