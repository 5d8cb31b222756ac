"""A sound suite, and the ways in which it is spoilt: what authors get wrong, one at a time."""

from collections.abc import Mapping
from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict

TENANT = """\
{
  "capturedAt": "2026-01-12T09:00:00Z",
  "orgUnits": [
    {"name": "Sales", "orgUnitPath": "/Sales", "orgUnitId": "id:03sales"},
    {"name": "Field", "orgUnitPath": "/Sales/Field", "orgUnitId": "id:03field",
     "parentOrgUnitPath": "/Sales"}
  ],
  "users": [
    {"id": "101", "primaryEmail": "ann@example.com", "orgUnitPath": "/Sales/Field",
     "name": {"givenName": "Ann", "familyName": "Lee"}},
    {"id": "102", "primaryEmail": "ben@example.com",
     "name": {"givenName": "Ben", "familyName": "Orr"}, "orgUnitPath": "/Sales"}
  ],
  "groups": [{"id": "g1", "email": "staff@example.com", "name": "Staff"}],
  "members": {"staff@example.com": [{"id": "101", "email": "ann@example.com"}]},
  "tools": {
    "getTicket": {
      "description": "One ticket of the help desk.",
      "inputSchema": {"type": "object", "properties": {"id": {}, "language": {}}},
      "responses": [{"when": {"id": "HD-7"}, "result": {"state": "open", "room": "B-214"}}]
    },
    "closeTicket": {"responses": [{"result": {"state": "closed"}}]}
  }
}
"""

READS = """\
id: OU-001
title: Where an account is
category: directory
input: In which org unit is the account of Ann Lee?
expect:
  text:
    evidence: [/Sales/Field]
    not_contains: [cannot tell]
  tools:
    forbidden: [closeTicket]
  server:
    requests: [directory.users.get]
    state: {unchanged: [users, orgUnits]}
  budget: {rounds: 5}
reference:
  requests:
    - url: admin.googleapis.com/admin/directory/v1/users/ann@example.com
  answer: "Ann Lee's account is in /Sales/Field."
"""

WRITES = """\
id: OU-002
title: A new org unit
category: directory
input: Create an org unit Partners below Sales, and say what its path is.
expect:
  text:
    regex: ['/Sales/Part\\w+']
  server:
    requests:
      - {method: directory.orgunits.insert, params: {name: Partners}, max: 1}
    state:
      expect: [{collection: orgUnits, where: {orgUnitPath: /Sales/Partners}}]
      unchanged: [users]
repeat: 3
policy: {pass_hat: 2, min: 0.7}
reference:
  requests:
    - http_method: POST
      url: admin.googleapis.com/admin/directory/v1/customer/my_customer/orgunits
      body: {name: Partners, parentOrgUnitPath: /Sales}
  answer: "Its path is /Sales/Partners."
"""

TALKS = """\
id: HD-003
title: A ticket of the help desk
category: help desk
mode: multi-turn
input:
  - user: Which room is ticket HD-7 about?
    expect:
      text: {evidence: [B-214]}
  - user: Write that into note.txt, with what our guide calls it.
fixtures: {files: [guide.txt]}
expect:
  tools:
    mode: in_order
    calls: [{name: getTicket, args: {id: HD-7}}]
    forbidden: ["close*"]
  files: [{path: note.txt, contains: [B-214, copper room]}]
  rubric: {min_score: 1, criteria: [ticket, room]}
  milestones:
    - {name: looked, call: getTicket}
    - {name: looked again, call: getTicket, after: looked}
timeout_s: 60
reference:
  - {calls: [{name: getTicket, args: {id: HD-7}}], answer: "The ticket is about room B-214."}
  - calls: [{name: getTicket, args: {id: HD-7}}]
    answer: "The room of the ticket is in note.txt."
    files: {note.txt: "B-214, the copper room\\n"}
"""

OVERRIDDEN = """\
id: OU-004
title: An account that may not sign in
category: accounts
input: Why can Ben Orr not sign in?
expect:
  text:
    contains: [suspended]
    forbidden_evidence: [archived]
    unless: [not]
  server:
    requests: [directory.users.get]
  grounding: {kinds: [email]}
reference:
  requests:
    - url: admin.googleapis.com/admin/directory/v1/users/ben@example.com
  answer: "His account is suspended."
"""

SUSPENDED = """\
[
  {"op": "test", "path": "/users/1/id", "value": "102"},
  {"op": "add", "path": "/users/1/suspended", "value": true}
]
"""

SOUND: Mapping[str, str] = {
    "base/tenant.json": TENANT,
    "cases/OU-001.yaml": READS,
    "cases/OU-002.yaml": WRITES,
    "cases/HD-003.yaml": TALKS,
    "cases/OU-004.yaml": OVERRIDDEN,
    "OU-004/users.patch.json": SUSPENDED,
    "guide.txt": "B-214 is what people call the copper room.\n",
}


class Sabotage(BaseModel):
    """One thing done to the sound suite.

    Attributes:
        name: What it is, as a test is called.
        path: The file that is changed, made or (`gone`) removed.
        copied: A file that it is a copy of, to begin with.
        copy_to: Where the file's own text goes besides.
        gone: True: the file is removed.
        rest: What is replaced is all from this text on.
        old: The text that is replaced; all of the file when empty.
        new: What stands there then.
        says: What one finding must say, letter case aside; one of the words between `|`.
        case: The case that the finding names; empty for what concerns the whole suite.
        at: A text of the line that the finding must name; empty where a file is enough.
        where: The file that the finding names, when it is not the changed one.
        doctor: True: seen only when agents are tried.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, protected_namespaces=())

    name: str
    path: str
    copied: str = ""
    copy_to: str = ""
    gone: bool = False
    rest: str = ""
    old: str = ""
    new: str | None = None
    says: tuple[str, ...]
    case: str = ""
    at: str = ""
    where: str = ""
    doctor: bool = False

    def files(self) -> dict[str, str]:
        """The files of the suite that is spoilt so."""
        files = dict(SOUND)
        text = files.pop(self.path, files.get(self.copied, ""))
        if self.copy_to:
            files[self.copy_to] = text
        old = text[text.index(self.rest) :] if self.rest else self.old
        assert not old or text.count(old) == 1, f"{self.name}: {old!r} is not there once"
        if not self.gone:
            new = text if self.new is None and self.copied else (self.new or "")
            spoilt = text.replace(old, new) if old else new
            files[self.path] = spoilt.replace("{KEY}", _KEY).replace("{LATIN}", "\udcfc")
        return files

    def line(self) -> int:
        """The line that must be named, or 0."""
        lines = self.files().get(self.path, "").splitlines()
        return next((n for n, line in enumerate(lines, 1) if self.at and self.at in line), 0)


_KEY = "SyD3x4mpl3" * 3 + "abcde"
"""What makes a text look like a key of Google's; in parts, so that this file holds none."""

SABOTAGES: tuple[Sabotage, ...] = tuple(
    Sabotage.model_validate(row)
    for row in yaml.safe_load(Path(__file__).with_name("sabotages.yaml").read_text("utf-8"))
)


def written(folder: Path, files: Mapping[str, str]) -> Path:
    """The files of a suite in a folder."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("utf-8", "surrogateescape"))
    return folder
