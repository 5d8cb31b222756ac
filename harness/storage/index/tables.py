"""The tables of the index. All in them can be made again from the runs."""

from sqlalchemy import Column, Float, Index, Integer, MetaData, Table, Text

VERSION = 1
"""Of these tables; the index is made anew where it is another."""

metadata = MetaData()

versions = Table("index_version", metadata, Column("version", Integer, primary_key=True))

runs = Table(
    "runs",
    metadata,
    Column("run", Text, primary_key=True),
    Column("suite", Text, nullable=False),
    Column("suite_path", Text, nullable=False),
    Column("agent", Text, nullable=False),
    Column("started_at", Text, nullable=False),
    Column("note", Text, nullable=False),
    Column("folder", Text, nullable=False),
    Column("root", Text, nullable=False),  # whose directory of runs it is in
    Column("stamp", Text, nullable=False),  # of what it was read from
    Column("state", Text, nullable=False),
    Column("cases", Integer, nullable=False),
    Column("passed_cases", Integer, nullable=False),
    Column("trials", Integer, nullable=False),
    Column("valid", Integer, nullable=False),
    Column("passed", Integer, nullable=False),
    Column("infra", Integer, nullable=False),
    Column("rate", Float),
    Index("runs_by_suite", "suite", "started_at"),
    Index("runs_by_root", "root"),
)

cases = Table(
    "cases",
    metadata,
    Column("run", Text, primary_key=True),
    Column("case", Text, primary_key=True),
    Column("position", Integer, nullable=False),
    Column("hash", Text, nullable=False),
    Column("category", Text, nullable=False),
    Column("verdict", Text),
    Column("valid", Integer, nullable=False),
    Column("passed", Integer, nullable=False),
    Column("reason", Text, nullable=False),
    Index("cases_by_id", "case"),
)

trials = Table(
    "trials",
    metadata,
    Column("run", Text, primary_key=True),
    Column("case", Text, primary_key=True),
    Column("status", Text, primary_key=True),
    Column("count", Integer, nullable=False),
)

baselines = Table(
    "baselines",
    metadata,
    Column("root", Text, primary_key=True),
    Column("run", Text, primary_key=True),
    Column("suite", Text, nullable=False),
    Column("agent", Text, nullable=False),
    Column("set_at", Text, nullable=False),
    Column("note", Text, nullable=False),
)

suites = Table(
    "suites",
    metadata,
    Column("root", Text, primary_key=True),
    Column("name", Text, primary_key=True),
    Column("path", Text, nullable=False),
    Column("description", Text, nullable=False),
    Column("registered_at", Text, nullable=False),
)
