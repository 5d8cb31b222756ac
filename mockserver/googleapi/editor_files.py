"""What Docs, Sheets, Slides and Forms edit: a row of their own, and the file of Drive beside it."""

from collections.abc import Callable
from dataclasses import dataclass, field

from mockserver.collections import Index
from mockserver.googleapi.call import Call
from mockserver.googleapi.errors import ApiError, not_found
from mockserver.googleapi.file_access import check_editor_file
from mockserver.googleapi.names import nearest
from mockserver.model import Json, JsonObject
from mockserver.state import World, rfc3339

_FILES = "drive:v3/files"
_BY_KIND = Index(
    lambda key, row: (
        ((row["mimeType"], str(row.get("id") or key.rpartition("/")[2])),)
        if str(row.get("mimeType")).startswith("application/vnd.google-apps.")
        else ()
    )
)


@dataclass(frozen=True)
class EditorFiles:
    """The files of one editor.

    Attributes:
        table: Where its own rows are, `docs:v1/documents`.
        ident: The parameter and the field that name one, `documentId`.
        mime_type: The type of the files in Drive.
        readers: How the names of methods begin that change nothing.
        missing: What refuses a call that names one that is not there.
    """

    table: str
    ident: str
    mime_type: str
    readers: tuple[str, ...] = ("get",)
    missing: Callable[[Call, str], ApiError] | None = None
    by_id: Index = field(init=False)

    def __post_init__(self) -> None:
        index = Index(lambda key, row: (str(row.get(self.ident) or key.rpartition("/")[2]),))
        object.__setattr__(self, "by_id", index)

    def open(self, call: Call, ident: str) -> tuple[JsonObject | None, JsonObject | None]:
        """The row and the file of an id, one of them at least; raises ApiError: 404, 403."""
        table = call.world.table(self.table)
        row = table.get(table.first(self.by_id, ident) or "")
        file = call.world.table(_FILES).get(self._file_key(call.world, ident))
        if row is None and file is None:
            if self.missing is not None:
                raise self.missing(call, ident)
            known = map(str, table.values(self.by_id))
            raise not_found(name=ident, nearest=nearest(ident, known))
        check_editor_file(call, file, reads=call.id.rpartition(".")[2].startswith(self.readers))
        return row, file

    def create(self, call: Call, title: str) -> str:
        """Make a file of a title; its id."""
        given = {"name": title, "mimeType": self.mime_type}
        return str(call.ask("drive.files.create", {}, given)["id"])

    def save(self, world: World, row: JsonObject, **told: Json) -> None:
        """Keep a row; its file, where there is one, has the time, and what else is told of it."""
        ident = str(row[self.ident])
        key = world.table(self.table).first(self.by_id, ident)
        world.put(self.table, key or f"{self.table.rpartition('/')[2]}/{ident}", row)
        file_key = self._file_key(world, ident)
        file = world.table(_FILES).get(file_key)
        if file is not None:
            told["modifiedTime"] = rfc3339(world.clock.now())
            world.put(_FILES, file_key, {**file, **told})

    def _file_key(self, world: World, ident: str) -> str:
        return world.table(_FILES).first(_BY_KIND, (self.mime_type, ident)) or ""


def check_revision(call: Call, latest: str) -> None:
    """Refuse a call that requires another revision than the latest; raises ApiError: 400."""
    wanted = (call.body.get("writeControl") or {}).get("requiredRevisionId")
    if wanted and wanted != latest:
        text = f"The required revision ID '{wanted}' does not match the latest revision."
        raise ApiError(400, text, reason="failedPrecondition", code_name="FAILED_PRECONDITION")
