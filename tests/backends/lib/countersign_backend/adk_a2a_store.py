"""The tasks of an agent of a2a-sdk 1.x, so that a pause ends in time and outlives the server."""

import sqlite3
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any
from uuid import uuid4

from a2a.compat.v0_3.conversions import to_compat_task
from a2a.server.tasks import InMemoryTaskStore, TaskStore
from a2a.types import Message, Part, Role, Task, TaskState
from google.protobuf.json_format import MessageToDict, MessageToJson, Parse

RUNNING = (TaskState.TASK_STATE_SUBMITTED, TaskState.TASK_STATE_WORKING)
TOO_LATE = "Nobody decided in time. Nothing was run."
RESTARTED = "The server was restarted while this ran. How far it came is not known."


@dataclass(frozen=True)
class Accepted:
    """An answer that was let through."""

    task: str
    digest: str


class PauseStore(TaskStore):
    """Task store in which a pause ends when it is too old. With a path it is kept in one SQLite file.

    A pause without an end is an open permission: who finds the page days later approves something long forgotten. An
    ended pause is a failed task, so every client sees it settle. What ran when the process ended is ended too.
    """

    def __init__(self, seconds_to_live: float, path: Path | None) -> None:
        # One token is one person here; with several, tasks are kept by the owner, whom the token names.
        self._tasks: dict[str, Task] = {}
        self._time_to_live = timedelta(seconds=seconds_to_live)
        self._rows = sqlite3.connect(path or ":memory:", isolation_level=None, check_same_thread=False)
        self._rows.execute("create table if not exists tasks (id text primary key, task text not null)")
        self._rows.execute("create table if not exists answers (message text primary key, task text, digest text)")
        for (text,) in self._rows.execute("select task from tasks order by rowid").fetchall():
            task = Parse(text, Task())
            self._tasks[task.id] = task
            if task.status.state in RUNNING:
                self._end(task, RESTARTED)

    def current(self, task_id: str) -> Task | None:
        """The task as it stands now, its pause ended if the time is up."""
        task = self._tasks.get(task_id)
        return self._look(task) if task is not None else None

    def conversation(self, context_id: str) -> list[Task]:
        """All tasks of one conversation, oldest first."""
        return [self._look(task) for task in self._tasks.values() if task.context_id == context_id]

    def accepted(self, message_id: str) -> Accepted | None:
        """The answer that came in this message, if it was accepted."""
        row = self._rows.execute("select task, digest from answers where message = ?", (message_id,)).fetchone()
        return Accepted(*row) if row else None

    def accept(self, message_id: str, task: Task, digest: str) -> None:
        """The pause of this task is over: this message answers it. On the disk before anything of it runs."""
        self._rows.execute("insert into answers values (?, ?, ?)", (message_id, task.id, digest))
        task.status.state = TaskState.TASK_STATE_WORKING
        self._keep(task)

    async def save(self, task: Task, context) -> None:
        """Stores how the task stands now."""
        kept = self._tasks.setdefault(task.id, Task())
        # The framework goes on changing its own.
        kept.CopyFrom(task)
        self._keep(kept)

    async def get(self, task_id: str, context) -> Task | None:
        """A copy of the task."""
        task = self.current(task_id)
        return copy_of(task) if task is not None else None

    async def delete(self, task_id: str, context) -> None:
        """Forgets the task."""
        self._tasks.pop(task_id, None)
        self._rows.execute("delete from tasks where id = ?", (task_id,))

    async def list(self, params, context):
        """The tasks that are asked for, page by page, newest first."""
        pages = InMemoryTaskStore()
        for task in self.conversation(params.context_id):
            await pages.save(task, context)
        return await pages.list(params, context)

    def _look(self, task: Task) -> Task:
        age = datetime.now(timezone.utc) - task.status.timestamp.ToDatetime(timezone.utc)
        if is_waiting(task) and age > self._time_to_live:
            self._end(task, TOO_LATE)
        return task

    def _end(self, task: Task, why: str) -> None:
        if task.status.HasField("message"):
            task.history.append(task.status.message)
        task.status.message.CopyFrom(Message(message_id=str(uuid4()), role=Role.ROLE_AGENT, parts=[Part(text=why)]))
        task.status.state = TaskState.TASK_STATE_FAILED
        task.status.timestamp.GetCurrentTime()
        self._keep(task)

    def _keep(self, task: Task) -> None:
        write = "insert into tasks values (?, ?) on conflict (id) do update set task = excluded.task"
        self._rows.execute(write, (task.id, MessageToJson(task)))


def copy_of(task: Task) -> Task:
    """Another one that says the same."""
    made = Task()
    made.CopyFrom(task)
    return made


def is_waiting(task: Task) -> bool:
    """Whether the task waits for an answer."""
    return task.status.state == TaskState.TASK_STATE_INPUT_REQUIRED


def in_1_0(task: Task) -> dict[str, Any]:
    """The task as JSON of A2A 1.0."""
    return MessageToDict(task)


def in_0_3(task: Task) -> dict[str, Any]:
    """The task as JSON of A2A 0.3."""
    return to_compat_task(task).model_dump(mode="json", by_alias=True, exclude_none=True)
