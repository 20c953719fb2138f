-- The tables of OUT/gradebook.sqlite, format 7. Entries of decisions are never changed but for the student's name, a
-- label that a roster may change, and nothing that was graded or decided is ever deleted.
BEGIN IMMEDIATE;

CREATE TABLE IF NOT EXISTS attempts (
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
    platform TEXT NOT NULL DEFAULT '',  -- "late" or "on time", where the platform itself says so
    submission TEXT NOT NULL,  -- the blob of the Submission
    conditions TEXT NOT NULL,  -- the blob of the Conditions under which it was graded
    extras TEXT  -- the blob of what only the report shows
);
CREATE INDEX IF NOT EXISTS attempts_of_a_student ON attempts (student, id);

-- the verdicts of `grade regrade` on an attempt; the newest that is applied takes the place of the attempt's own
CREATE TABLE IF NOT EXISTS verdicts (
    id INTEGER PRIMARY KEY,
    attempt INTEGER NOT NULL REFERENCES attempts (id),
    key TEXT NOT NULL,
    finished TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now')),
    results TEXT NOT NULL,
    conditions TEXT NOT NULL,
    extras TEXT,
    applied INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX IF NOT EXISTS verdicts_of_an_attempt ON verdicts (attempt, id);

-- when an attempt was submitted, by a file that a person gave; the newest takes the place of the attempt's own
CREATE TABLE IF NOT EXISTS times (
    id INTEGER PRIMARY KEY,
    attempt INTEGER NOT NULL REFERENCES attempts (id),
    submitted TEXT NOT NULL,
    source TEXT NOT NULL,
    platform TEXT NOT NULL DEFAULT '',
    made TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))
);
CREATE INDEX IF NOT EXISTS times_of_an_attempt ON times (attempt, id);

CREATE TABLE IF NOT EXISTS decisions (
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
);
CREATE INDEX IF NOT EXISTS decisions_about_a_student ON decisions (student, id);

CREATE TRIGGER IF NOT EXISTS decisions_are_never_changed
    BEFORE UPDATE OF id, kind, author, made, row, points, until, text, undoes ON decisions
    BEGIN SELECT raise(ABORT, 'entries of decisions are never changed'); END;
CREATE TRIGGER IF NOT EXISTS decisions_are_never_deleted BEFORE DELETE ON decisions
    BEGIN SELECT raise(ABORT, 'entries of decisions are never deleted'); END;
CREATE TRIGGER IF NOT EXISTS attempts_are_never_deleted BEFORE DELETE ON attempts
    BEGIN SELECT raise(ABORT, 'entries of attempts are never deleted'); END;
CREATE TRIGGER IF NOT EXISTS verdicts_are_never_deleted BEFORE DELETE ON verdicts
    BEGIN SELECT raise(ABORT, 'entries of verdicts are never deleted'); END;
CREATE TRIGGER IF NOT EXISTS times_are_never_deleted BEFORE DELETE ON times
    BEGIN SELECT raise(ABORT, 'entries of times are never deleted'); END;

-- submitted files and other large values, compressed, once each
CREATE TABLE IF NOT EXISTS blobs (sha256 TEXT PRIMARY KEY, data BLOB NOT NULL) WITHOUT ROWID;
-- what says who a student is: "email ada@example.org", "account Canvas 101", "name Ada Smith" for an earlier name
CREATE TABLE IF NOT EXISTS people (student TEXT, mark TEXT, PRIMARY KEY (student, mark)) WITHOUT ROWID;
-- the course and the seeds of the attempts
CREATE TABLE IF NOT EXISTS about (name TEXT PRIMARY KEY, value TEXT NOT NULL);
-- what a run leaves for later commands, such as the roster
CREATE TABLE IF NOT EXISTS kept (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
-- students whose folder in OUT is out of date, until it is written again
CREATE TABLE IF NOT EXISTS stale (student TEXT PRIMARY KEY) WITHOUT ROWID;

PRAGMA user_version = 7;
COMMIT;
