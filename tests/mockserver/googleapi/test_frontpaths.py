"""Paths that the front end knows for every API."""

from pathlib import Path

import orjson
import pytest
from googleapiclient import discovery_cache

from mockserver.googleapi import UPLOAD_VERBS, batch_of, download_path, upload_path


@pytest.mark.parametrize(
    ("path", "below"),
    [
        ("/upload/drive/v3/files", "/drive/v3/files"),
        ("/resumable/upload/drive/v3/files/a", "/drive/v3/files/a"),
        ("/drive/v3/files", ""),
        ("/uploads", ""),
    ],
    ids=str,
)
def test_a_path_of_uploads_means_the_path_of_a_method(path: str, below: str) -> None:
    assert upload_path(path) == below


@pytest.mark.parametrize(
    ("path", "below"),
    [
        ("/download/storage/v1/b/a/o/x%2Fy", "/storage/v1/b/a/o/x%2Fy"),
        ("/storage/v1/b/a/o/x", ""),
        ("/downloads/x", ""),
    ],
    ids=str,
)
def test_a_path_of_downloads_means_the_path_of_a_method(path: str, below: str) -> None:
    assert download_path(path) == below


def test_the_documents_name_no_other_paths_of_uploads_and_batches() -> None:
    folder = Path(discovery_cache.DISCOVERY_DOC_DIR)
    for name in ("drive.v3", "storage.v1", "gmail.v1", "youtube.v3"):
        raw = orjson.loads((folder / f"{name}.json").read_bytes())
        assert batch_of("/" + raw["batchPath"]) is not None
        for resource in raw["resources"].values():
            for method in resource.get("methods", {}).values():
                for protocol in method.get("mediaUpload", {}).get("protocols", {}).values():
                    below = f"/{raw['servicePath']}{method['path']}"
                    assert upload_path(protocol["path"]) == below


def test_a_resumable_upload_is_continued_and_cancelled_by_other_verbs() -> None:
    assert UPLOAD_VERBS["PUT"] == ("PUT", "POST", "PATCH")
    assert "GET" not in UPLOAD_VERBS
