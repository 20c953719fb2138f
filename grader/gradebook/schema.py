"""The tables of a gradebook."""

from __future__ import annotations

from grader.gradebook.connection import Connection
from grader.gradebook.files import OutputError

VERSION = 5
TABLES = (
    """CREATE TABLE attempts (
        id INTEGER PRIMARY KEY,
        student TEXT NOT NULL,
        key TEXT NOT NULL,
        submission_sha256 TEXT NOT NULL,
        status TEXT NOT NULL,
        score REAL NOT NULL,
        max_score REAL NOT NULL,
        finished TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now')),
        results TEXT NOT NULL,
        submitted TEXT,  -- ISO 8601 with a time zone; NULL if nothing says so
        submission TEXT NOT NULL,  -- the blob of the Submission
        conditions TEXT NOT NULL,  -- the blob of the Conditions under which it was graded
        extras TEXT  -- the blob of what only the report shows
    )""",
    "CREATE INDEX attempts_of_a_student ON attempts (student, id)",
    # the verdicts of `grade regrade` on an attempt; the newest takes the place of the attempt's own
    """CREATE TABLE verdicts (
        id INTEGER PRIMARY KEY,
        attempt INTEGER NOT NULL REFERENCES attempts (id),
        key TEXT NOT NULL,
        finished TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now')),
        results TEXT NOT NULL,
        conditions TEXT NOT NULL,
        extras TEXT
    )""",
    "CREATE INDEX verdicts_of_an_attempt ON verdicts (attempt, id)",
    # when an attempt was submitted, by a file that a person gave; the newest takes the place of the attempt's own
    """CREATE TABLE times (
        id INTEGER PRIMARY KEY,
        attempt INTEGER NOT NULL REFERENCES attempts (id),
        submitted TEXT NOT NULL,
        source TEXT NOT NULL,
        made TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))
    )""",
    "CREATE INDEX times_of_an_attempt ON times (attempt, id)",
    """CREATE TABLE decisions (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        student TEXT NOT NULL,
        kind TEXT NOT NULL CHECK (kind IN ('points', 'comment', 'excuse', 'extension', 'undo', 'defence')),
        author TEXT NOT NULL,
        made TEXT NOT NULL,
        row TEXT,
        points REAL,
        until TEXT,
        text TEXT NOT NULL DEFAULT '',
        undoes INTEGER REFERENCES decisions (id)
    )""",
    "CREATE INDEX decisions_about_a_student ON decisions (student, id)",
    *(
        f"CREATE TRIGGER {table}_are_never_{done} BEFORE {act} ON {table} "
        f"BEGIN SELECT raise(ABORT, 'entries of {table} are never {done}'); END"
        for table, act, done in (
            ("decisions", "UPDATE", "changed"),
            ("decisions", "DELETE", "deleted"),
            ("attempts", "DELETE", "deleted"),
            ("verdicts", "DELETE", "deleted"),
            ("times", "DELETE", "deleted"),
        )
    ),
    "CREATE TABLE blobs (sha256 TEXT PRIMARY KEY, data BLOB NOT NULL) WITHOUT ROWID",  # compressed
    # the course and the seeds of the attempts
    "CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
    # what a run leaves for the pages that later commands write: the roster, the drawings of graphs
    "CREATE TABLE kept (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    # students whose folder in OUT is out of date, until it is written again
    "CREATE TABLE stale (student TEXT PRIMARY KEY) WITHOUT ROWID",
    f"PRAGMA user_version={VERSION}",
)


def prepare_tables(connection: Connection) -> None:
    """Make the tables of a new file, in a single transaction.

    Raises OutputError for a file that is damaged or has another format than VERSION.
    """
    is_new = check_format(connection)
    ((integrity,),) = connection.rows("PRAGMA quick_check(1)")
    if integrity != "ok":
        raise connection.damaged(integrity)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")  # whole after a power cut, the last attempts may be lost
    if is_new:
        with connection.transaction(durable=True):
            for statement in TABLES if check_format(connection) else ():  # another program may have been first
                connection.execute(statement)


def check_format(connection: Connection) -> bool:
    """Whether the file is new. Raises OutputError where it has tables of another format."""
    ((version,),) = connection.rows("PRAGMA user_version")
    ((tables,),) = connection.rows("SELECT count(*) FROM sqlite_master")
    if tables and version != VERSION:
        raise OutputError(
            f"{connection.path} has format {version}, and this version of grade reads format {VERSION}: give another "
            "folder with -o, and grade the submissions again there."
        )
    return not tables
