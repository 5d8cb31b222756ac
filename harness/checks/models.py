"""Naming Pydantic models of the user's own.

This is the one place of the room that reaches out: it imports the module that a case names. The
checks take the function as an argument, so they stay free of it.
"""

import importlib
from collections.abc import Callable

from pydantic import BaseModel

PREFIX = "python:"


class ModelError(Exception):
    """A case names a model that cannot be had."""


ModelResolver = Callable[[str], type[BaseModel]]


def import_model(name: str) -> type[BaseModel]:
    """The model that `python:package.module:Model` names.

    Raises:
        ModelError: when the name is malformed, the module cannot be imported, or what it names is
            not a Pydantic model.
    """
    module, colon, attribute = name.removeprefix(PREFIX).partition(":")
    if not (name.startswith(PREFIX) and module and colon and attribute):
        raise ModelError(f"{name!r} does not name a model; write python:package.module:Model")
    try:
        found = getattr(importlib.import_module(module), attribute)
    except Exception as error:  # the user's module may raise anything
        raise ModelError(f"{name!r} cannot be imported: {error}") from error
    if not (isinstance(found, type) and issubclass(found, BaseModel)):
        raise ModelError(f"{name!r} is not a Pydantic model")
    return found
