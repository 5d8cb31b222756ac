"""Recordings of public projects, replayed through the whole server: `make recordings`.

The folder has one folder for each project, with its recordings wherever they are; it stands outside
this repository. Every file that is a recording is read, and each of its requests is asked of a
server as a client would: in recorded order, shuffled where no write lies between, and in eight
sessions at once. Every answer must be what was recorded.
"""

import asyncio
import shutil
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import httpx

from mockserver.cassettes.foreign import read_foreign
from mockserver.cassettes.matching import canonical, canonical_key, effect_of
from mockserver.errors import MockServerError
from mockserver.http.application import Application
from mockserver.messages import encode_body, header, split_url
from mockserver.model import Interaction, RecordedResponse
from mockserver.sessions.cassette_library import NOWHERE
from mockserver.settings import Settings

SESSIONS = 8
_SUFFIXES = frozenset({".yaml", ".yml", ".json", ".har", ".zip"})
_LEFT_TO_THE_CLIENT = frozenset({
    "accept-encoding", "connection", "content-length", "host", "keep-alive", "origin",
    "proxy-connection", "referer", "sec-fetch-dest", "sec-fetch-mode", "sec-fetch-site",
    "te", "trailer", "transfer-encoding", "upgrade",
})  # fmt: skip
"""What belongs to a connection; a page of another origin must bear a session's token."""
_EXAMPLES = 5
_NOW = datetime(2026, 11, 20, tzinfo=UTC)


@dataclass
class Project:
    """What became of the recordings of one project.

    Attributes:
        name: Its folder.
        files: Recordings that were read.
        interactions: In them.
        formats: How many files of each format.
        left_out: Interactions that cannot be used, or whose address no client can name.
        unread: Files that are no recording, or hold nothing that can be used.
        asked: Requests that were asked.
        wrong: Answers that differ from what was recorded, by how they were asked for.
    """

    name: str
    files: int = 0
    interactions: int = 0
    formats: Counter[str] = field(default_factory=Counter)
    left_out: list[str] = field(default_factory=list)
    unread: Counter[str] = field(default_factory=Counter)
    asked: int = 0
    wrong: dict[str, list[str]] = field(default_factory=dict)

    def told(self) -> str:
        """A few lines for people."""
        formats = ", ".join(f"{count} {name}" for name, count in self.formats.most_common())
        lines = [
            f"{self.name}: {self.files} recordings ({formats}), {self.interactions} interactions,"
            f" {self.asked} requests asked, {sum(map(len, self.wrong.values()))} answers differ,"
            f" {len(self.left_out)} left out"
        ]
        lines += [f"  left out: {each}" for each in self.left_out[:_EXAMPLES]]
        lines += [
            f"  not read, {count}: {why}" for why, count in self.unread.most_common(_EXAMPLES)
        ]
        for how, found in self.wrong.items():
            lines += [f"  {how}: {each}" for each in found[:_EXAMPLES]]
        return "\n".join(lines)


def recordings(folder: Path) -> Iterator[Path]:
    """Everything below a folder that may be a recording: files, and root folders of WireMock.

    Yields:
        Each path, in order of the names.
    """
    for path in sorted(folder.rglob("*")):
        if path.is_dir() and path.name == "mappings" and any(path.rglob("*.json")):
            yield path.parent
        elif path.is_file() and path.suffix in _SUFFIXES and "mappings" not in path.parts:
            yield path


async def replayed(folder: Path) -> Project:
    """Read and replay all recordings of a project.

    Args:
        folder: The project's.
    """
    project = Project(folder.name)
    held: dict[str, Sequence[Interaction]] = {}
    with TemporaryDirectory() as place:
        files = []
        for path in recordings(folder):
            try:
                cassette, imported = read_foreign(path, upstream=NOWHERE)
            except MockServerError as error:
                why = str(error).replace(str(path), "").lstrip(":#/0123456789 ")
                project.unread[why] += 1
                continue
            if not cassette.interactions:
                continue
            name = f"r{len(held)}"
            file = Path(place) / f"{name}{path.suffix}"
            if path.is_dir() or imported.format in {"HAR", "WireMock"}:
                file = path  # it may name files beside it
                name = path.stem if path.is_file() else path.name
                if name in held:
                    file = Path(place) / f"r{len(held)}" / f"r{len(held)}{path.suffix}"
                    source = path if path.is_dir() else path.parent
                    shutil.copytree(source, file if path.is_dir() else file.parent)
                    if path.is_file():
                        (file.parent / path.name).rename(file)
                    name = f"r{len(held)}"
            else:
                file.symlink_to(path.resolve())
            files.append(file)
            held[name] = cassette.interactions
            project.files += 1
            project.interactions += len(cassette.interactions)
            project.formats[imported.format] += 1
            project.left_out += [f"{path.name}{n}" for n in imported.notes if "left out" in n]
        app = Application(Settings(cassettes=tuple(files), default=None), real=lambda: _NOW)
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app)) as client:
            for name, interactions in held.items():
                await _check(client, name, interactions, project)
    return project


async def _check(
    client: httpx.AsyncClient, name: str, interactions: Sequence[Interaction], project: Project
) -> None:
    asked = [each for each in interactions if _can_be_asked(each)]
    odd = [each for each in interactions if not _can_be_asked(each)]
    project.left_out += [f"{name}: no client asks {each.request.url[:60]}" for each in odd]
    orders = {
        "in order": [asked],
        "shuffled": [_shuffled(asked, Random(len(asked)))],
        "at once": [asked] * SESSIONS,
    }
    for how, sessions in orders.items():
        ids = [f"{name}-{how.replace(' ', '-')}-{number}" for number in range(len(sessions))]
        found = await asyncio.gather(
            *(_session(client, name, *each) for each in zip(ids, sessions, strict=True))
        )
        project.asked += sum(map(len, sessions))
        wrong = [f"{name}: {each}" for session in found for each in session]
        if wrong:
            project.wrong.setdefault(how, []).extend(wrong)


async def _session(
    client: httpx.AsyncClient, name: str, session: str, asked: Iterable[Interaction]
) -> list[str]:
    """What differs from what was recorded, in one session."""
    control = "http://127.0.0.1:8765/_mock/sessions"
    spec = {
        "id": session, "cassettes": [name], "sources": ["cassette"],
        "repeats": "once", "barriers": "strict", "pace": 0,
    }  # fmt: skip
    opened = await client.post(control, json=spec)
    if opened.status_code != 201:
        return [f"no session: {opened.text[:200]}"]
    wrong = []
    for interaction in asked:
        request, response = interaction.request, interaction.response
        headers = [pair for pair in request.headers if pair[0].lower() not in _LEFT_TO_THE_CLIENT]
        try:
            answer = await client.request(
                request.method,
                request.url,
                headers=[*headers, ("X-Mock-Session", session)],
                content=encode_body(request.body, request.coding),
            )
        except (httpx.HTTPError, ConnectionError) as error:
            damaged = isinstance(error, httpx.DecodingError) and _is_coded(response)
            if response.ended == "complete" and not damaged:
                wrong.append(f"{request.method} {request.url[:100]}: {error!r}")
            continue
        held = b"" if _has_no_body(interaction) else response.body
        differs = answer.content != held and not _is_coded(response)
        if answer.status_code != response.status or differs:
            said = answer.headers.get("x-mock-miss", "")[:120]
            wrong.append(f"{request.method} {request.url[:100]}: {answer.status_code} {said}")
    await client.delete(f"{control}/{session}")
    return wrong


def _can_be_asked(interaction: Interaction) -> bool:
    url = split_url(interaction.request.url)
    plain = url.host.replace("-", "").replace(".", "").replace("_", "").isalnum()
    ours = url.path.startswith("/s/")  # names a session
    return url.scheme in {"http://", "https://"} and plain and not ours


def _is_coded(response: RecordedResponse) -> bool:
    return bool(header(response.headers, "content-encoding"))


def _has_no_body(interaction: Interaction) -> bool:
    return interaction.request.method == "HEAD" or interaction.response.status in {204, 304}


def _shuffled(asked: Sequence[Interaction], random: Random) -> list[Interaction]:
    """The same requests, those between two writes in any order; equal ones keep theirs."""
    made: list[Interaction] = []
    between: list[Interaction] = []
    for interaction in asked:
        if effect_of(canonical(interaction.request)).reads:
            between.append(interaction)
            continue
        made += [*_mixed(between, random), interaction]
        between = []
    return made + _mixed(between, random)


def _mixed(reads: Sequence[Interaction], random: Random) -> list[Interaction]:
    alike: dict[bytes, list[Interaction]] = {}
    for each in reads:
        alike.setdefault(canonical_key(each.request, times=False), []).append(each)
    turns = [key for key, found in alike.items() for _ in found]
    random.shuffle(turns)
    waiting = {key: iter(found) for key, found in alike.items()}
    return [next(waiting[key]) for key in turns]


def main(folder: Path) -> int:
    """Replay every project of a folder; 1 where an answer differs or nothing was read."""
    projects = []
    for path in sorted(each for each in folder.iterdir() if each.is_dir()):
        projects.append(asyncio.run(replayed(path)))
        sys.stdout.write(projects[-1].told() + "\n")
        sys.stdout.flush()
    wrong = sum(len(found) for each in projects for found in each.wrong.values())
    asked = sum(each.asked for each in projects)
    sys.stdout.write(f"{asked - wrong} passed, {wrong} failed\n")
    return int(bool(wrong) or not asked)


if __name__ == "__main__":
    sys.exit(main(Path(*islice(sys.argv, 1, None))))
