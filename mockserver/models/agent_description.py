"""What a scripted agent says of itself to those who look for agents."""

from pydantic import Field

from mockserver.model import Frozen


class AgentSkill(Frozen):
    """Something that an agent can do.

    Attributes:
        id: Its id.
        name: Its name; the id when empty.
        description: What it is.
        tags: Words to find it by.
        examples: What somebody may say who wants it.
    """

    id: str = Field(min_length=1)
    name: str = ""
    description: str = ""
    tags: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()


class AgentDescription(Frozen):
    """An agent; its name is that of the script's `model`.

    Attributes:
        description: What it does.
        version: Its version.
        skills: What it can do.
    """

    description: str = "A scripted agent."
    version: str = "1.0.0"
    skills: tuple[AgentSkill, ...] = ()
