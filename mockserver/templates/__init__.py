"""Templates in answers: Jinja2 in a sandbox, and the values that they may speak of."""

from mockserver.templates.engine import (
    MOST_STEPS,
    Condition,
    Template,
    TemplateError,
    condition,
    has_templates,
    is_template,
    render_json,
    template,
    template_problems,
)
from mockserver.templates.values import StateView, session_values

__all__ = [
    "MOST_STEPS",
    "Condition",
    "StateView",
    "Template",
    "TemplateError",
    "condition",
    "has_templates",
    "is_template",
    "render_json",
    "session_values",
    "template",
    "template_problems",
]
