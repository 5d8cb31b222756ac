"""What a build adds: Google's Discovery documents, and where the project is published.

The documents come out of the client package of the build; a checkout (an editable wheel) reads them
from the client that is installed. PROJECT_URL is the web address of the repository: with it the
metadata has URLs, and links of the README lead there, since an index has no files beside it.
"""

import importlib.util
import os
import re
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

PACKAGE = "google-api-python-client"
ROOM = "mockserver/googleapi"
PAGES = {
    "Source": "",
    "Documentation": "/blob/{ref}/docs/README.md",
    "Changelog": "/blob/{ref}/CHANGELOG.md",
    "Issues": "/issues",
}
"""The URLs of the project: their labels, and the path below its address."""

_LINK = re.compile(r"(!?)\[((?:[^\]\[]|\[[^\]]*\])*)\]\((?![a-z]+:|#)([^)\s]+)\)")


class MetadataHook(MetadataHookInterface):
    """Gives the project its URLs and its long description."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add `urls` and `readme`, unless a source archive that is built has them."""
        url = os.environ.get("PROJECT_URL", "").rstrip("/")
        ref = f"v{metadata['version']}"
        if url and "urls" not in metadata:
            metadata["urls"] = {name: url + path.format(ref=ref) for name, path in PAGES.items()}
        if "readme" not in metadata:
            text = Path(self.root, "README.md").read_text(encoding="utf-8")
            metadata["readme"] = {
                "content-type": "text/markdown",
                "text": _lead(text, url, ref) if url else text,
            }


def _lead(text: str, url: str, ref: str) -> str:
    """Lead the links of a README to the repository, pictures to their bytes."""

    def lead(link: re.Match[str]) -> str:
        kind = "raw" if link[1] else "blob"
        return f"{link[1]}[{link[2]}]({url}/{kind}/{ref}/{link[3]})"

    blocks = re.split(r"(^```.*?^```)", text, flags=re.DOTALL | re.MULTILINE)
    return "".join(part if part.startswith("```") else _LINK.sub(lead, part) for part in blocks)


class BuildHook(BuildHookInterface[Any]):
    """Adds the pack of documents to the files of the wheel."""

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
