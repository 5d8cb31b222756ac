"""Names and the globs that stand for them, letter case aside."""

from fnmatch import fnmatchcase


def is_named(name: str, glob: str) -> bool:
    """Whether a glob stands for a name; a rule that forbids `Delete_*` means `delete_user`, too.

    >>> is_named("delete_user", "Delete_*"), is_named("list_users", "delete_*")
    (True, False)
    """
    return fnmatchcase(name.casefold(), glob.casefold())
