"""What MkDocs does otherwise than by itself: anchors as GitHub makes them, links out of docs/.

The pages are written for GitHub, where a link may lead to any file of the repository. The front
page and the changelog become pages of the site; a link to any other file becomes its text.
Search gets what it needs where the site is opened from the disk.
"""

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ADDED = {"README.md": "front-page.md", "CHANGELOG.md": "changelog.md"}
"""Files of the repository that become pages, and where."""

_LINK = re.compile(r"(!?)\[((?:[^\]\[]|\[[^\]]*\])*)\]\((?![a-z]+:|#)([^)#\s]+)(#[^)]*)?\)")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Make anchors as GitHub does."""
    config.mdx_configs.setdefault("toc", {})["slugify"] = _github_anchor
    return config


def _github_anchor(heading: str, separator: str) -> str:
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", separator)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the files of the repository that become pages."""
    root = Path(config.docs_dir).parent
    for source, page in ADDED.items():
        text = (root / source).read_text(encoding="utf-8")
        files.append(File.generated(config, page, content=text))
    shim = Path(config.config_file_path).with_name("iframe-worker.js")
    files.append(File.generated(config, "js/iframe-worker.js", abs_src_path=str(shim)))
    return files


def on_page_markdown(markdown: str, *, page: Page, **_: Any) -> str:
    """Lead the links of a page to pages of the site."""
    uri = page.file.src_uri
    sources = {added: source for source, added in ADDED.items()}
    here = posixpath.dirname(sources.get(uri, f"docs/{uri}"))

    def lead(link: re.Match[str]) -> str:
        image, text, target, anchor = link[1], link[2], link[3], link[4] or ""
        path = posixpath.normpath(posixpath.join(here, target))
        if path not in ADDED and not path.startswith("docs/"):
            return text
        path = ADDED.get(path, path.removeprefix("docs/"))
        return f"{image}[{text}]({posixpath.relpath(path, posixpath.dirname(uri))}{anchor})"

    blocks = re.split(r"(^```.*?^```)", markdown, flags=re.DOTALL | re.MULTILINE)
    return "".join(part if part.startswith("```") else _LINK.sub(lead, part) for part in blocks)
