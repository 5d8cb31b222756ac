"""Packages whose modules are loaded when a name of theirs is first taken, so that starts are quick.

The package imports `*` of its modules under `TYPE_CHECKING`, and says in a table what is taken of
which:

    __getattr__ = lazy_names(__name__, {"filters": "Filter parse_filter"})
"""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module


def lazy_names(package: str, modules: Mapping[str, str]) -> Callable[[str], object]:
    """What finds the names of a package that it does not have yet, for its `__getattr__`.

    Args:
        package: The package, `mockserver.redaction`.
        modules: Names, with spaces between them, by the module of the package that has them.

    Returns:
        A function that loads the module of a name, and answers the value; the package has it from
        then on. It raises AttributeError for other names.

    >>> lazy_names("mockserver", {"errors": "UserError"})("UserError").__name__
    'UserError'
    """
    where = {name: module for module, names in modules.items() for name in names.split()}

    def find(name: str) -> object:
        if name not in where:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(f"{package}.{where[name]}"), name)
        setattr(sys.modules[package], name, value)
        return value

    return find
