"""PyGithub on issues, comments, milestones and labels: base URL and token are its arguments."""

import json
import sys

from github import Auth, Github, GithubException

base, token = sys.argv[1:]
hub = Github(
    auth=Auth.Token(token), base_url=f"{base}/api.github.com", per_page=2, retry=None,
    seconds_between_requests=0, seconds_between_writes=0,
)  # fmt: skip
repo = hub.get_repo("octocat/Hello-World")
before = {each.number for each in repo.get_issues(state="all")}
issue = repo.create_issue(title="Broken", body="It is.", labels=["bug"])
others = [repo.create_issue(title=f"i{number}") for number in range(3)]
listed = [each.title for each in repo.get_issues() if each.number not in before]
oldest = [each.title for each in repo.get_issues(sort="created", direction="asc")
          if each.number not in before]  # fmt: skip
issue.edit(title="Mended", state="closed")
closed = [each.title for each in repo.get_issues(state="closed") if each.number not in before]
comment = issue.create_comment("Done.")
milestone = repo.create_milestone("v1", description="The first.")
milestone.edit("v2")
read = repo.get_milestone(milestone.number).title
milestone.delete()
label = repo.create_label("to do", "ff0000", "Later.")
label.edit("to do", "00ff00")
color = repo.get_label("to do").color
label.delete()
try:
    repo.get_label("to do")
    missing = None
except GithubException as error:
    missing = error.status
json.dump({
    "repo": [repo.full_name, repo.owner.login],
    "issue": [issue.number, issue.state, issue.comments, issue.closed_at, issue.title],
    "url": issue.url,
    "again": repo.get_issue(issue.number).title,
    "listed": listed, "oldest": oldest, "closed": closed,
    "comments": [each.body for each in issue.get_comments()], "comment": comment.body,
    "milestone": [milestone.number, milestone.state, read],
    "milestones": [each.title for each in repo.get_milestones() if each.number == milestone.number],
    "label": [label.url, color], "missing": missing,
}, sys.stdout)  # fmt: skip
