"""`python -m tests.pictures [NAME...]` makes the pictures of the docs, all or the named ones."""

import sys

from tests.mockserver.console import picture
from tests.pictures import diagram, house, recording, screens

PICTURES = {
    "diagram": diagram.main,
    "house": house.main,
    "demo": recording.main,
    "console": picture.main,
    "runs": screens.main,
}
"""Diagram, house and demo are SVG, the others what a browser shows."""

if __name__ == "__main__":
    names = sys.argv[1:] or list(PICTURES)
    if unknown := sorted(set(names) - PICTURES.keys()):
        sys.exit(f"no picture {', '.join(unknown)}; there are {', '.join(PICTURES)}")
    for name in names:
        PICTURES[name]()
