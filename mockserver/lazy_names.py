"""Packages whose modules are loaded when a name of theirs is first taken, so that starts are quick.

The package imports its names under `TYPE_CHECKING`, lists them in `__all__`, and says in a table
which module has which:

    __getattr__ = lazy_names(__name__, {"filters": ("Filter", "parse_filter")})
"""

import sys
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module


def lazy_names(package: str, modules: Mapping[str, Iterable[str]]) -> Callable[[str], object]:
    """What finds the names of a package that it does not have yet, for its `__getattr__`.

    Args:
        package: The package, `mockserver.redaction`.
        modules: Names by the module of the package that has them.

    Returns:
        A function that loads the module of a name, and answers the value; the package has it from
        then on. It raises AttributeError for other names.

    >>> lazy_names("mockserver", {"errors": ["UserError"]})("UserError").__name__
    'UserError'
    """
    where = {name: module for module, names in modules.items() for name in names}

    def find(name: str) -> object:
        if name not in where:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(f"{package}.{where[name]}"), name)
        setattr(sys.modules[package], name, value)
        return value

    return find
