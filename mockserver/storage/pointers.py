"""JSON pointers as paths; the library is loaded by the first of them."""

from mockserver.errors import MockServerError
from mockserver.model import Json

Path = tuple[str, ...]


def path_of(pointer: str) -> Path:
    """The tokens of a pointer, unescaped.

    Raises:
        MockServerError: It is no JSON pointer.

    >>> path_of("/a~1b/0")
    ('a/b', '0')
    """
    import jsonpointer

    try:
        return tuple(jsonpointer.JsonPointer(pointer).parts)
    except jsonpointer.JsonPointerException as error:
        raise MockServerError(f"{pointer!r} is no JSON pointer", hint="it starts with /") from error


def pointer_of(path: Path) -> str:
    """The pointer that a path makes, escaped.

    >>> pointer_of(("a/b", "0"))
    '/a~1b/0'
    """
    import jsonpointer

    return str(jsonpointer.JsonPointer.from_parts(path).path)


def value_at(document: Json, path: Path, default: Json = None) -> Json:
    """The value at a path, or `default`.

    >>> value_at({"a": [1]}, ("a", "0"))
    1
    """
    import jsonpointer

    return jsonpointer.JsonPointer.from_parts(path).resolve(document, default)
