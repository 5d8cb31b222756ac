"""One page for a run in one file, and the two pieces of it that other pages can hold.

`matrix_view` with `matrix.html` is a run as rows of cases and cells of trials; `trial_view` with
`trial.html` is a trial as a timeline. `page_templates(PACKAGE)` finds both beside the templates of
that package, and `page.css`, which both share; `asset` gives `page.css` and `matrix.js` as text.
"""

from harness.reports.html.matrix import MatrixView, matrix_view
from harness.reports.html.page import html_report
from harness.reports.html.templates import asset, page_templates
from harness.reports.html.trials import trial_view

__all__ = [
    "MatrixView",
    "asset",
    "html_report",
    "matrix_view",
    "page_templates",
    "trial_view",
]
