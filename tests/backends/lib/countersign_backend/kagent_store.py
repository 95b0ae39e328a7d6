"""Keeps the tasks of an agent and the answers that it took, so that a pause outlives the server."""

import sqlite3
from dataclasses import dataclass
from pathlib import Path

from a2a.types import Task


@dataclass(frozen=True)
class Accepted:
    """An answer that was let through."""

    task_id: str
    digest: str


class TaskFile:
    """One SQLite file; without a path all is gone with the process.

    Each method is one statement and waits for nothing else, so no other answer gets in between.
    """

    def __init__(self, path: Path | None) -> None:
        self._rows = sqlite3.connect(path or ":memory:", isolation_level=None)
        self._rows.execute("create table if not exists tasks (id text primary key, task text not null)")
        self._rows.execute("create table if not exists answers (message text primary key, task text, digest text)")

    def tasks(self) -> list[Task]:
        """All tasks, oldest first."""
        rows = self._rows.execute("select task from tasks order by rowid")
        return [Task.model_validate_json(text) for (text,) in rows]

    def keep(self, task: Task) -> None:
        """Writes how the task stands now."""
        text = task.model_dump_json(by_alias=True)
        write = "insert into tasks values (?, ?) on conflict (id) do update set task = excluded.task"
        self._rows.execute(write, (task.id, text))

    def accept(self, message_id: str, answer: Accepted) -> None:
        """Notes an answer, before anything of it runs."""
        self._rows.execute("insert into answers values (?, ?, ?)", (message_id, answer.task_id, answer.digest))

    def accepted(self, message_id: str) -> Accepted | None:
        """The answer that came in this message, if one did."""
        row = self._rows.execute("select task, digest from answers where message = ?", (message_id,)).fetchone()
        return Accepted(*row) if row else None
