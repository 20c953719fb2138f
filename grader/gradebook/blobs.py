"""Submitted files and other large values in the gradebook's file, stored once by their digest."""

from __future__ import annotations

import hashlib
import json
import zlib
from typing import Any

from grader.gradebook.connection import Connection
from grader.gradebook.files import OutputError
from grader.results.typed_json import from_json, to_json


class Blobs:
    """{SHA-256 of the content: the content}. Methods raise OutputError when the file cannot be read or written."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def store(self, data: bytes) -> str:
        """Keep `data`; returns its key."""
        key = hashlib.sha256(data).hexdigest()
        if next(self._connection.rows("SELECT 1 FROM blobs WHERE sha256 = ?", key), None) is None:
            self._connection.execute("INSERT OR IGNORE INTO blobs VALUES (?, ?)", (key, zlib.compress(data)))
        return key

    def load(self, key: str) -> bytes:
        found = next(self._connection.rows("SELECT data FROM blobs WHERE sha256 = ?", key), None)
        if found is None:
            raise OutputError(f"{self._connection.path} is damaged (a stored file is missing): use a copy of it.")
        return zlib.decompress(found[0])

    def store_value(self, value: Any) -> str:
        """Keep a typed value; files in it, as bytes, are blobs of their own."""
        return self.store(json.dumps(to_json(value, self.store), separators=(",", ":")).encode())

    def load_value(self, kind: Any, key: str) -> Any:
        """The value of type `kind` under `key`."""
        return from_json(kind, json.loads(self.load(key)), self.load)
