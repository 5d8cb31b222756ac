"""What a build adds: Google's Discovery documents, gRPC messages, where the project is published.

Documents and messages come out of the client packages of the build; a checkout (an editable wheel)
reads them from the clients that are installed. PROJECT_URL is the web address of the repository:
with it the metadata has URLs, and links of the README lead there, since an index has no files
beside it.
"""

import os
import re
import sys
from importlib import import_module
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

PACKAGE = "google-api-python-client"
DOCUMENTS, MESSAGES = "mockserver/googleapi", "mockserver/fronts/grpc"
CLIENTS = "clients"
"""The extra whose packages have the gRPC services that are packed."""
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
    """Adds the packs to the files of the wheel."""

    _packs: tuple[Path, ...] = ()

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the packs into the folder of the build."""
        if version == "editable":
            return
        Path(self.directory).mkdir(parents=True, exist_ok=True)
        for room, write in ((DOCUMENTS, self._write_documents), (MESSAGES, self._write_messages)):
            target = write(room)
            self._packs += (target,)
            build_data["force_include"][str(target)] = f"{room}/{target.name}"

    def _write_documents(self, room: str) -> Path:
        module = self._module(room, "document_pack")
        client = distribution(PACKAGE)
        folder = Path(str(client.locate_file("googleapiclient/discovery_cache/documents")))
        licence = client.metadata["License-Expression"] or client.metadata["License"]
        target = Path(self.directory, module.FILE)
        count = module.write_pack(target, module.Origin(PACKAGE, client.version, licence), folder)
        self.app.display_info(f"{count} Discovery documents of {PACKAGE} {client.version}")
        return target

    def _write_messages(self, room: str) -> Path:
        clients = self.metadata.core.optional_dependencies[CLIENTS]
        packages = [distribution(re.split(r"[^\w.-]", each)[0]) for each in clients]
        module = self._module(room, "descriptor_pack")
        target = Path(self.directory, module.FILE)
        count = module.write_pack(target, packages)
        self.app.display_info(f"{count} gRPC services of {len(packages)} packages")
        return target

    def _module(self, room: str, name: str) -> Any:
        """A module of the project, which needs nothing but the packages of the build."""
        sys.path.insert(0, self.root)
        return import_module(f"{room}/{name}".replace("/", "."))

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the packs, which are in the wheel now."""
        for pack in self._packs:
            pack.unlink(missing_ok=True)
