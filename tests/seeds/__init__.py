"""What the public projects behind the case formats say, and whether this project says the same.

`make seeds REFERENCES=DIR` works on copies of the four projects below DIR; nothing of theirs is
kept. Each module here holds a project's own rules, written down anew, against ours.
"""
