"""Paths that Google's front end knows for every API: batches, uploads and downloads."""

_BATCH = "/batch"
_DOWNLOADS = "/download/"
_UPLOADS = ("/upload/", "/resumable/upload/")

UPLOAD_VERBS = {
    "POST": ("POST",),
    "PATCH": ("PATCH",),
    "PUT": ("PUT", "POST", "PATCH"),
    "DELETE": ("POST", "PATCH", "PUT"),
}
"""The verbs of methods that a verb on an upload path may mean: a resumable upload is continued with
PUT and cancelled with DELETE, whatever began it."""


def batch_of(path: str) -> str | None:
    """The API and version whose calls a batch at a path may hold: all of its host's for nothing.

    None where the path is not one of a batch. Source: `batchPath` of the Discovery documents.

    >>> batch_of("/batch"), batch_of("/batch/drive/v3"), batch_of("/batches")
    ('', 'drive/v3', None)
    """
    if path == _BATCH:
        return ""
    return path[len(_BATCH) + 1 :].rstrip("/") if path.startswith(_BATCH + "/") else None


def upload_path(path: str) -> str:
    """The path of the method that a path of uploads means; empty where it is none.

    Source: `mediaUpload` of the Discovery documents.

    >>> upload_path("/upload/drive/v3/files"), upload_path("/drive/v3/files")
    ('/drive/v3/files', '')
    """
    for prefix in _UPLOADS:
        if path.startswith(prefix):
            return path[len(prefix) - 1 :]
    return ""


def download_path(path: str) -> str:
    """The path of the method whose media a path of downloads means; empty where it is none.

    Source: `useMediaDownloadService` of the Discovery documents, and the clients of Cloud Storage.

    >>> download_path("/download/storage/v1/b/a/o/x"), download_path("/storage/v1/b/a/o/x")
    ('/storage/v1/b/a/o/x', '')
    """
    return path[len(_DOWNLOADS) - 1 :] if path.startswith(_DOWNLOADS) else ""
