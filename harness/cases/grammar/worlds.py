"""Blocks about the world around the agent: the mock server, the workspace."""

from pathlib import PurePosixPath
from typing import Annotated

from pydantic import AfterValidator, model_validator

from harness.cases.grammar.matchers import checked
from harness.cases.grammar.values import Names, listed, named
from harness.model import ChangeEvent, ExpectedFile, ExpectedRequest, ExpectedRow, Frozen


def _in_bounds(request: ExpectedRequest) -> ExpectedRequest:
    if request.max is not None and request.max < request.min:
        raise ValueError("'max' is below 'min'")
    checked(request.params)
    return request


Request = Annotated[ExpectedRequest, named("method", ExpectedRequest), AfterValidator(_in_bounds)]


def _usable(row: ExpectedRow) -> ExpectedRow:
    checked(row.where)
    checked(row.has)
    return row


def _usable_change(change: ChangeEvent) -> ChangeEvent:
    checked(change.where)
    if change.fields and change.kinds and "changed" not in change.kinds:
        raise ValueError("'fields' needs kind 'changed'")
    return change


Row = Annotated[ExpectedRow, AfterValidator(_usable)]
Allowed = Annotated[ChangeEvent, named("collection", ChangeEvent), AfterValidator(_usable_change)]


class StateBlock(Frozen):
    """What the server holds at the end.

    Attributes:
        expect: Resources that must be there.
        unchanged: Collections (or globs) that the agent must not have written to.
        allow: Changes that do not matter: collections (or globs), or `{collection, where, kinds,
            fields}`. When given, all that is neither expected nor allowed is collateral damage.
    """

    expect: tuple[Row, ...] = ()
    unchanged: Names | None = None
    allow: Annotated[tuple[Allowed, ...], listed(str | ChangeEvent)] | None = None

    @model_validator(mode="after")
    def _says_something(self) -> "StateBlock":
        if not self.expect and not self.unchanged and self.allow is None:
            raise ValueError("needs 'expect', 'unchanged' or 'allow'")
        return self


class ServerBlock(Frozen):
    """What the mock server saw and holds.

    Attributes:
        requests: Requests that it must have seen: method ids, or
            `{method, params, status, min, max}`.
        allow_others: False: it must have seen no request besides these.
        state: What it holds at the end.
        required: False makes the results informational.
    """

    requests: tuple[
        Annotated[ExpectedRequest, named("method", ExpectedRequest), AfterValidator(_in_bounds)],
        ...,
    ] = ()
    allow_others: bool = True
    state: StateBlock | None = None
    required: bool = True

    @model_validator(mode="after")
    def _says_something(self) -> "ServerBlock":
        if not self.requests and not self.allow_others:
            raise ValueError("'allow_others' needs 'requests'")
        if not self.requests and self.state is None:
            raise ValueError("needs 'requests' or 'state'")
        for request in self.requests:
            if self.allow_others and request.min == 0 and request.max is None:
                raise ValueError(f"no journal could fail {request.method!r}: give 'min' or 'max'")
        return self


def _in_workspace(file: ExpectedFile) -> ExpectedFile:
    path = PurePosixPath(file.path)
    if path.is_absolute() or ".." in path.parts or "\\" in file.path:
        raise ValueError(f"{file.path!r} leaves the workspace")
    if file.absent and file.contains:
        raise ValueError(f"{file.path!r} cannot be absent and contain something")
    return file


File = Annotated[ExpectedFile, named("path", ExpectedFile), AfterValidator(_in_workspace)]
