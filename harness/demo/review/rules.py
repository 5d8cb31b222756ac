"""The rules of the standards set `naval_v3`, one detector each: content in, findings out."""

import re
from collections.abc import Callable, Iterator, Mapping

from harness.demo.review.response import Finding

Rule = Callable[[str], Iterator[Finding]]

_OBJECTIVE = re.compile(
    r"^\s*(?:[-*]|\d+[.)])?\s*Trainees will (?P<verb>[a-z]+(?: [a-z]+)?).*$", re.M
)
_VAGUE = {
    "understand": "violation",
    "know": "violation",
    "appreciate": "warning",
    "learn": "warning",
}
_ACRONYM = re.compile(r"\b[A-Z]{3,5}\b")
_HEADING = re.compile(r"^#+ +(?P<title>\S.*?)\s*$", re.M)
_SECTIONS = ("Purpose", "Procedure", "Assessment")
_SENTENCE = re.compile(r"[^.!?\n]+[.!?]")
_DUTY = re.compile(r"\b(?:must(?! not)|is required|are required|shall(?! not)|always)\b", re.I)
_RELEASE = re.compile(
    r"\b(?:must not|shall not|is optional|are optional|never|not required)\b", re.I
)
_VAGUE_TERM = re.compile(r"\b(?:as appropriate|if necessary|adequate)\b", re.I)
_LITTLE = frozenset({"the", "and", "for", "this", "that", "with", "each", "every", "are", "always"})
_LEAST_SHARED = 2


def measurable_verbs(content: str) -> Iterator[Finding]:
    """NAV-TR-3.1.1: an objective names what can be seen and measured.

    Yields:
        A finding for each objective with another verb.
    """
    for found in _OBJECTIVE.finditer(content):
        verb = found["verb"].split()[0]
        if severity := _VAGUE.get(verb):
            yield Finding(
                standard_ref="NAV-TR-3.1.1",
                severity=severity,
                span=found[0].strip(),
                message=f"nobody can measure whether trainees {verb}",
                suggestion="name what they list, demonstrate or calculate",
            )


def contradictions(content: str) -> Iterator[Finding]:
    """NAV-TR-3.2.2: no sentence takes back what another one demands.

    Yields:
        A finding for each sentence that does.
    """
    sentences = [found[0].strip() for found in _SENTENCE.finditer(content)]
    duties = [text for text in sentences if _DUTY.search(text) and not _RELEASE.search(text)]
    for sentence in sentences:
        if not _RELEASE.search(sentence):
            continue
        against = (duty for duty in duties if len(_words(duty) & _words(sentence)) >= _LEAST_SHARED)
        if (duty := next(against, None)) is not None:
            yield Finding(
                standard_ref="NAV-TR-3.2.2",
                severity="violation",
                span=sentence,
                message=f"contradicts {duty!r}",
            )


def _words(sentence: str) -> set[str]:
    plain = _RELEASE.sub(" ", _DUTY.sub(" ", sentence.lower()))
    return {word for word in re.findall(r"[a-z]{3,}", plain) if word not in _LITTLE}


def unexplained_acronyms(content: str) -> Iterator[Finding]:
    """NAV-TR-3.3.1: an acronym is spelled out where it first stands.

    Yields:
        A finding for each that is not.
    """
    for acronym in dict.fromkeys(_ACRONYM.findall(re.sub(r"NAV-TR-[\d.]+", "", content))):
        if not re.search(rf"\({acronym}\)|\b{acronym} \([a-z]", content):
            yield Finding(
                standard_ref="NAV-TR-3.3.1",
                severity="warning",
                span=acronym,
                message=f"{acronym} is not spelled out",
                suggestion=f"write the full name, then ({acronym})",
            )


def structure(content: str) -> Iterator[Finding]:
    """NAV-TR-3.4.1: a document with headings has all of its sections, none of them empty.

    Yields:
        A finding for each section that is missing or empty.
    """
    headings = list(_HEADING.finditer(content))
    titles = {found["title"].casefold() for found in headings}
    for name in _SECTIONS if headings else ():
        if name.casefold() not in titles:
            yield _structural(headings[0][0], f"there is no section {name}")
    ends = [*(found.start() for found in headings[1:]), len(content)]
    for found, end in zip(headings, ends, strict=False):
        if not content[found.end() : end].strip():
            yield _structural(found[0], f"the section {found['title']} is empty")


def _structural(span: str, message: str) -> Finding:
    return Finding(
        standard_ref="NAV-TR-3.4.1", severity="warning", span=span.strip(), message=message
    )


def vague_terms(content: str) -> Iterator[Finding]:
    """NAV-TR-3.5.1: nothing is left to whoever reads it.

    Yields:
        A finding for each phrase that does.
    """
    for found in _VAGUE_TERM.finditer(content):
        yield Finding(
            standard_ref="NAV-TR-3.5.1",
            severity="info",
            span=found[0],
            message="says not when and how much",
        )


RULES: Mapping[str, Rule] = {
    "NAV-TR-3.1.1": measurable_verbs,
    "NAV-TR-3.2.2": contradictions,
    "NAV-TR-3.3.1": unexplained_acronyms,
    "NAV-TR-3.4.1": structure,
    "NAV-TR-3.5.1": vague_terms,
}
"""Reference to detector, in the order in which findings are told."""

STANDARDS: Mapping[str, tuple[str, ...]] = {
    "naval_v3": tuple(RULES),
    "naval_objectives": ("NAV-TR-3.1.1",),
}
"""Standards set to its rules."""
