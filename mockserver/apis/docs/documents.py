"""A document while it is changed: its tabs, and the texts in each: body, headers, footnotes."""

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field

from mockserver.apis.docs.text import (
    Block,
    Paragraph,
    Place,
    Run,
    Section,
    find_paragraph,
    paragraphs,
    read_blocks,
    size_of,
    write_blocks,
)
from mockserver.googleapi import invalid
from mockserver.model import JsonObject
from mockserver.state import Ids

FIRST_TAB = "t.0"
KINDS: Mapping[str, str] = {"headers": "headerId", "footers": "footerId", "footnotes": "footnoteId"}
"""Where a tab has the texts beside its body, and the field of each that names it."""

_SECTION = {"columnSeparatorStyle": "NONE", "contentDirection": "LEFT_TO_RIGHT",
            "sectionType": "CONTINUOUS"}  # fmt: skip
_PAGE: JsonObject = {
    **{
        f"margin{side}": {"magnitude": 72, "unit": "PT"}
        for side in ("Bottom", "Left", "Right", "Top")
    },
    "pageSize": {
        "height": {"magnitude": 792, "unit": "PT"},
        "width": {"magnitude": 612, "unit": "PT"},
    },
}
_TAB_FIELDS = ("body", "documentStyle", "headers", "footers", "footnotes", "inlineObjects", "lists",
               "namedRanges", "namedStyles", "positionedObjects")  # fmt: skip
_HELD = {"inlineObjectElement": "inlineObjectId", "footnoteReference": "footnoteId"}


@dataclass(slots=True)
class Segment:
    """One text of a tab: the body, whose id is empty, a header, a footer or a footnote."""

    ident: str
    blocks: list[Block]
    start: int = 0

    def __post_init__(self) -> None:
        last = self.blocks[-1] if self.blocks else None
        if not isinstance(last, Paragraph) or not last.text.endswith("\n"):
            self.blocks.append(Paragraph([Run("\n")]))

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.start + size_of(self.blocks)

    def place(self, index: int) -> Place:
        """The paragraph that an index is in; ApiError 400 for none."""
        if index >= self.end:
            raise invalid(
                f"Index {index} must be less than the end index of the referenced segment,"
                f" {self.end}."
            )
        found = find_paragraph(self.blocks, self.start, index)
        if found is None:
            raise invalid(
                "The insertion index must be inside the bounds of an existing paragraph."
                " You can still create new paragraphs by inserting newlines."
            )
        return found

    def span(self, given: JsonObject) -> tuple[int, int]:
        """The two ends of a range; ApiError 400 for one that cannot be."""
        start, end = int(given.get("startIndex") or 0), int(given.get("endIndex") or 0)
        if not self.start <= start < end:
            raise invalid("The range should not be empty.")
        if end > self.end:
            raise invalid(
                f"Index {end - 1} must be less than the end index of the referenced segment,"
                f" {self.end}."
            )
        return start, end

    def paragraphs(self) -> Iterator[tuple[Paragraph, int]]:
        """All its paragraphs, with where they start.

        Yields:
            Paragraphs.
        """
        return paragraphs(self.blocks, self.start)


@dataclass(slots=True)
class Tab:
    """A tab: its properties, its texts, and what is told of them (lists, named ranges, styles)."""

    properties: JsonObject
    fields: JsonObject
    head: Section
    body: Segment
    texts: dict[str, dict[str, Segment]] = field(default_factory=dict)

    @classmethod
    def read(cls, properties: JsonObject, content: JsonObject) -> "Tab":
        """A tab as a document holds it."""
        raw = deepcopy(content)
        blocks = read_blocks((raw.pop("body", None) or {}).get("content") or ())
        first = blocks[0] if blocks else None
        head = first if isinstance(first, Section) else Section({**_SECTION})
        body = Segment("", blocks[1:] if first is head else blocks, 1)
        texts = {
            kind: {
                ident: Segment(ident, read_blocks(each.get("content") or ()))
                for ident, each in (raw.pop(kind, None) or {}).items()
            }
            for kind in KINDS
        }
        raw.setdefault("documentStyle", deepcopy(_PAGE))
        return cls({**properties}, raw, head, body, texts)

    @property
    def ident(self) -> str:
        """Its id."""
        return str(self.properties["tabId"])

    def segments(self) -> list[Segment]:
        """All its texts, the body first."""
        return [self.body, *(each for several in self.texts.values() for each in several.values())]

    def segment(self, location: JsonObject) -> Segment:
        """The text that a location is in; ApiError 400 for none."""
        ident = location.get("segmentId") or ""
        for each in self.segments():
            if each.ident == ident:
                return each
        raise invalid(f"The segment {ident!r} was not found.")

    def shift(self, segment: Segment, start: int, removed: int, added: int) -> None:
        """Move the ends of named ranges behind a change."""

        def moved(index: int) -> int:
            if index <= start:
                return index
            return max(start, index - removed) + added

        for several in (self.fields.get("namedRanges") or {}).values():
            for named in several["namedRanges"]:
                named["ranges"] = [
                    {**each, "startIndex": moved(each.get("startIndex", 0)),
                     "endIndex": moved(each["endIndex"])}
                    if (each.get("segmentId") or "") == segment.ident else each
                    for each in named["ranges"]
                ]  # fmt: skip

    def sections(self) -> Iterator[tuple[Section, int, int]]:
        """The sections of the body.

        Yields:
            A section, where it begins and where it ends.
        """
        section, start, at = self.head, self.head.size - 1, self.body.start
        for each in self.body.blocks:
            if isinstance(each, Section):
                yield section, start, at
                section, start = each, at
            at += each.size
        yield section, start, at

    def write(self) -> JsonObject:
        """The tab as a document holds it; what no text refers to any more is gone."""
        held = self._number_references()
        content = [
            {"endIndex": 1, "sectionBreak": {"sectionStyle": self.head.style}},
            *write_blocks(self.body.blocks, 1),
        ]
        made: JsonObject = {**self.fields, "body": {"content": content}}
        objects = {ident: each for ident, each in (self.fields.get("inlineObjects") or {}).items()
                   if ident in held}  # fmt: skip
        made = {name: each for name, each in made.items() if name != "inlineObjects"}
        made |= {"inlineObjects": objects} if objects else {}
        for kind, name in KINDS.items():
            shown = {
                ident: {name: ident, "content": write_blocks(each.blocks, 0)}
                for ident, each in self.texts[kind].items()
                if kind != "footnotes" or ident in held
            }
            made |= {kind: shown} if shown else {}
        return made

    def _number_references(self) -> set[str]:
        """Number the references to footnotes in their order; the ids of what texts refer to."""
        held, number = set[str](), 0
        for segment in self.segments():
            for paragraph, _ in segment.paragraphs():
                for run in paragraph.runs:
                    for kind, name in _HELD.items():
                        if run.raw and kind in run.raw:
                            held.add(str(run.raw[kind].get(name, "")))
                    if run.raw and "footnoteReference" in run.raw:
                        number += 1
                        run.raw["footnoteReference"]["footnoteNumber"] = str(number)
        return held


@dataclass(slots=True)
class Document:
    """A document while it is changed: its fields, its tabs in their order, who makes its ids."""

    row: JsonObject
    ids: Ids
    tabs: list[Tab] = field(default_factory=list)

    def __post_init__(self) -> None:
        given = self.row.get("tabs")
        if given:
            self.tabs = [*_flat_tabs(given, "")]
        else:
            content = {name: self.row[name] for name in _TAB_FIELDS if name in self.row}
            first = {"tabId": FIRST_TAB, "title": "Tab 1", "index": 0}
            self.tabs = [Tab.read(first, content)]

    def tab(self, ident: object) -> Tab:
        """The tab with an id, or the first one for none; ApiError 400."""
        for each in self.tabs:
            if not ident or each.ident == ident:
                return each
        raise invalid(f"The tab {ident!r} was not found.")

    def tabs_of(self, criteria: JsonObject | None) -> Sequence[Tab]:
        """The tabs that a request is about: all, where it names none."""
        wanted = (criteria or {}).get("tabIds") or ()
        return [self.tab(each) for each in wanted] or self.tabs

    def located(self, location: JsonObject) -> tuple[Tab, Segment]:
        """The tab and the text that a location or a range is in; ApiError 400 for none."""
        tab = self.tab(location.get("tabId"))
        return tab, tab.segment(location)

    def new_id(self, kind: str) -> str:
        """An id for something new."""
        return f"kix.{self.ids.base36(kind, 12)}"

    def to_row(self) -> JsonObject:
        """The document as it is kept: with its one tab's content beside its title, or with tabs."""
        kept = {name: each for name, each in self.row.items() if name not in {*_TAB_FIELDS, "tabs"}}
        if len(self.tabs) == 1 and "tabs" not in self.row:
            return {**kept, **self.tabs[0].write()}
        return {**kept, "tabs": self.nested_tabs("")}

    def nested_tabs(self, parent: str) -> list[JsonObject]:
        """The tabs below one, or those below none, as answers show them."""
        found: list[JsonObject] = []
        for each in self.tabs:
            if str(each.properties.get("parentTabId") or "") != parent:
                continue
            below = self.nested_tabs(each.ident)
            shown = {"tabProperties": {**each.properties, "index": len(found)}}
            children = {"childTabs": below} if below else {}
            found.append({**shown, "documentTab": each.write(), **children})
        return found


def _flat_tabs(several: Sequence[JsonObject], parent: str) -> Iterator[Tab]:
    """Tabs and those below them, each behind the one that it is below.

    Yields:
        Tabs.
    """
    for number, each in enumerate(several):
        around = {"parentTabId": parent} if parent else {}
        given = {"tabId": f"t.{number}", "title": f"Tab {number + 1}", "index": number}
        tab = Tab.read({**given, **(each.get("tabProperties") or {}), **around},
                       each.get("documentTab") or {})  # fmt: skip
        yield tab
        yield from _flat_tabs(each.get("childTabs") or (), tab.ident)
