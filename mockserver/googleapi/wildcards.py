"""Patterns in which `*` is any text, as many query languages have them."""


def alike(text: str, pattern: str) -> bool:
    """Whether the whole of a text meets a pattern.

    >>> alike("projects/shop/things/cart", "*/shop/*rt"), alike("shop", "sh")
    (True, False)
    """
    first, *others = pattern.split("*")
    if not others:
        return text == first
    if not text.startswith(first):
        return False
    rest = text[len(first) :]
    for part in others[:-1]:
        place = rest.find(part)
        if place < 0:
            return False
        rest = rest[place + len(part) :]
    return rest.endswith(others[-1])
