"""The tables of a gradebook. A file of an earlier format is changed in place: a course's gradebook is never lost."""

from __future__ import annotations

from grader.gradebook.connection import Connection
from grader.gradebook.files import OutputError

VERSION = 5
OLDEST = 2
ATTEMPTS = """
CREATE TABLE attempts (
    id INTEGER PRIMARY KEY,
    student TEXT NOT NULL,
    key TEXT NOT NULL,
    submission_sha256 TEXT NOT NULL,
    status TEXT NOT NULL,
    score REAL NOT NULL,
    max_score REAL NOT NULL,
    finished TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now')),
    results TEXT NOT NULL
)
"""
INDEX = "CREATE INDEX attempts_of_a_student ON attempts (student, id)"
ABOUT = "CREATE TABLE IF NOT EXISTS about (name TEXT PRIMARY KEY, value TEXT NOT NULL)"
FROM_2_TO_3 = (
    "ALTER TABLE attempts ADD COLUMN submitted TEXT",  # ISO 8601 with a time zone; NULL if nothing says so
    "ALTER TABLE attempts ADD COLUMN submission TEXT",  # the blob of the Submission
    "ALTER TABLE attempts ADD COLUMN conditions TEXT",  # the blob of the Conditions under which it was graded
    "ALTER TABLE attempts ADD COLUMN extras TEXT",  # the blob of what only the report shows
    "CREATE TABLE blobs (sha256 TEXT PRIMARY KEY, data BLOB NOT NULL) WITHOUT ROWID",  # compressed
    # the verdicts of `grade regrade` on an attempt; the newest takes the place of the attempt's own
    """CREATE TABLE verdicts (
        id INTEGER PRIMARY KEY,
        attempt INTEGER NOT NULL REFERENCES attempts (id),
        key TEXT NOT NULL,
        finished TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now')),
        results TEXT NOT NULL,
        conditions TEXT,
        extras TEXT
    )""",
    "CREATE INDEX verdicts_of_an_attempt ON verdicts (attempt, id)",
    """CREATE TABLE decisions (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        student TEXT NOT NULL,
        kind TEXT NOT NULL CHECK (kind IN ('points', 'comment', 'excuse', 'extension', 'undo')),
        author TEXT NOT NULL,
        made TEXT NOT NULL,
        row TEXT,
        points REAL,
        until TEXT,
        text TEXT NOT NULL DEFAULT '',
        undoes INTEGER REFERENCES decisions (id)
    )""",
    "CREATE INDEX decisions_about_a_student ON decisions (student, id)",
    # what a run leaves for the pages that later commands write: the roster, the drawings of graphs
    "CREATE TABLE kept (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    # students whose folder in OUT is out of date, until it is written again
    "CREATE TABLE stale (student TEXT PRIMARY KEY) WITHOUT ROWID",
    *(
        f"CREATE TRIGGER {table}_are_never_{done} BEFORE {act} ON {table} "
        f"BEGIN SELECT raise(ABORT, 'entries of {table} are never {done}'); END"
        for table, act, done in (
            ("decisions", "UPDATE", "changed"),
            ("decisions", "DELETE", "deleted"),
            ("attempts", "DELETE", "deleted"),
            ("verdicts", "DELETE", "deleted"),
        )
    ),
    ABOUT,
)
FROM_3_TO_4 = (
    # when an attempt was submitted, by a file that a person gave; the newest takes the place of the attempt's own
    """CREATE TABLE times (
        id INTEGER PRIMARY KEY,
        attempt INTEGER NOT NULL REFERENCES attempts (id),
        submitted TEXT NOT NULL,
        source TEXT NOT NULL,
        made TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))
    )""",
    "CREATE INDEX times_of_an_attempt ON times (attempt, id)",
    "CREATE TRIGGER times_are_never_deleted BEFORE DELETE ON times "
    "BEGIN SELECT raise(ABORT, 'entries of times are never deleted'); END",
)
KINDS_OF_DECISIONS = ("points", "comment", "excuse", "extension", "undo", "defence")
FROM_4_TO_5 = (
    # SQLite cannot change a constraint: the table is made again with one more kind, and all its entries
    f"""CREATE TABLE decisions_5 (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        student TEXT NOT NULL,
        kind TEXT NOT NULL CHECK (kind IN ({", ".join(map(repr, KINDS_OF_DECISIONS))})),
        author TEXT NOT NULL,
        made TEXT NOT NULL,
        row TEXT,
        points REAL,
        until TEXT,
        text TEXT NOT NULL DEFAULT '',
        undoes INTEGER REFERENCES decisions (id)
    )""",
    "INSERT INTO decisions_5 SELECT id, student, kind, author, made, row, points, until, text, undoes FROM decisions",
    "DROP TABLE decisions",
    "ALTER TABLE decisions_5 RENAME TO decisions",
    "CREATE INDEX decisions_about_a_student ON decisions (student, id)",
    *(
        f"CREATE TRIGGER decisions_are_never_{done} BEFORE {act} ON decisions "
        f"BEGIN SELECT raise(ABORT, 'entries of decisions are never {done}'); END"
        for done, act in (("changed", "UPDATE"), ("deleted", "DELETE"))
    ),
)


def prepare_tables(connection: Connection) -> None:
    """Make the tables of a new file, or bring an earlier format up to date, in a single transaction.

    Raises OutputError for a file that is damaged, older than OLDEST or newer than VERSION.
    """
    version, tables = format_of(connection)
    if tables and not OLDEST <= version <= VERSION:
        raise OutputError(
            f"{connection.path} was written by another version of grade (its format is {version}, this one's "
            f"{VERSION}): give another folder with -o."
        )
    ((integrity,),) = connection.rows("PRAGMA quick_check(1)")
    if integrity != "ok":
        raise connection.damaged(integrity)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")  # whole after a power cut, the last attempts may be lost
    if tables and version == VERSION:
        return
    with connection.transaction(durable=True):
        version, tables = format_of(connection)  # another program may have been first
        if not tables:
            connection.execute(ATTEMPTS)
            connection.execute(INDEX)
        if not tables or version < VERSION:
            before = 2 if not tables else version
            for since, statements in ((2, FROM_2_TO_3), (3, FROM_3_TO_4), (4, FROM_4_TO_5)):
                for statement in statements if before <= since else ():
                    connection.execute(statement)
            connection.execute(f"PRAGMA user_version={VERSION}")


def format_of(connection: Connection) -> tuple[int, int]:
    """(the format's version, how many tables and indices there are)"""
    ((version,),) = connection.rows("PRAGMA user_version")
    ((tables,),) = connection.rows("SELECT count(*) FROM sqlite_master")
    return version, tables
