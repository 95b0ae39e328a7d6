"""The guard in front of kagent: an answer reaches the agent once, in time, and only if it fits what was asked."""

import asyncio
import hashlib
import uuid
from contextlib import aclosing
from datetime import datetime, timedelta, timezone

from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.tasks import InMemoryTaskStore
from a2a.types import InvalidParamsError, Message, Part, Role, Task, TaskState, TaskStatus, TextPart
from a2a.utils.errors import ServerError

from countersign_backend.kagent_answer import Confirmation, Refused, answer_parts, check, confirmations, is_worded
from countersign_backend.kagent_store import Accepted, TaskFile
from countersign_backend.ledger import json_text

RUNNING = (TaskState.submitted, TaskState.working)


class PauseStore(InMemoryTaskStore):
    """Task store in which a pause ends when it is too old or when its conversation has paused again.

    A pause without an end is an open permission: who finds the page days later approves something long forgotten. And
    kagent applies a decision to the latest pause of the *conversation*, whatever task the decision names; with two
    paused tasks an approval of the first would run the calls of the second. An ended pause is a failed task, so every
    client sees it settle. What ran when the process ended is ended too, and not begun again: nobody can know how far
    it came.
    """

    def __init__(self, seconds_to_live: float, file: TaskFile) -> None:
        super().__init__()
        self._time_to_live = timedelta(seconds=seconds_to_live)
        self._file = file
        self._paused: dict[str, str] = {}
        for task in file.tasks():
            self.tasks[task.id] = task
            if task.status.state in RUNNING:
                self._end(task, "The server was restarted while this ran. How far it came is not known.")
            elif pending(task):
                self._paused[task.context_id] = task.id

    async def save(self, task: Task, context=None) -> None:
        """Stores the task; if it now waits, an earlier one of its conversation no longer does."""
        await super().save(task, context)
        self._file.keep(task)
        if pending(task):
            earlier = self.tasks.get(self._paused.get(task.context_id, ""))
            if earlier is not None and earlier.id != task.id and pending(earlier):
                self._end(earlier, "Another approval in this conversation took the place of this one.")
            self._paused[task.context_id] = task.id

    def accepted(self, message_id: str) -> Accepted | None:
        """The answer that came in this message, if it was accepted."""
        return self._file.accepted(message_id)

    def accept(self, message_id: str, task: Task, digest: str) -> None:
        """The pause of this task is over: this message answers it."""
        self._file.accept(message_id, Accepted(task.id, digest))
        task.status.state = TaskState.working
        self._file.keep(task)

    async def get(self, task_id: str, context=None) -> Task | None:
        """The task as it stands now, its pause ended if the time is up."""
        task = await super().get(task_id, context)
        return self._current(task) if task is not None else None

    def conversation(self, context_id: str) -> list[Task]:
        """All tasks of one conversation, oldest first."""
        return [self._current(task) for task in self.tasks.values() if task.context_id == context_id]

    def works_beside(self, task: Task) -> bool:
        """Whether another task of its conversation runs and may pause at any moment."""
        others = (other for other in self.tasks.values() if other.context_id == task.context_id and other is not task)
        return any(other.status.state in RUNNING for other in others)

    def _current(self, task: Task) -> Task:
        if pending(task) and task.status.timestamp is not None:
            age = datetime.now(timezone.utc) - datetime.fromisoformat(task.status.timestamp)
            if age > self._time_to_live:
                self._end(task, "Nobody decided in time. Nothing was run.")
        return task

    def _end(self, task: Task, why: str) -> None:
        end(task, why)
        self._file.keep(task)


def pending(task: Task) -> list[Confirmation]:
    """The requests that this task waits for; none if it does not wait."""
    if task.status.state != TaskState.input_required or task.status.message is None:
        return []
    return confirmations(task.status.message.model_dump(mode="json", by_alias=True, exclude_none=True))


def end(task: Task, why: str) -> None:
    """Ends a task for this reason."""
    message = Message(
        message_id=str(uuid.uuid4()),
        role=Role.agent,
        parts=[Part(root=TextPart(text=why))],
        task_id=task.id,
        context_id=task.context_id,
    )
    if task.status.message is not None:
        task.history = [*(task.history or []), task.status.message]
    task.status = TaskStatus(state=TaskState.failed, message=message, timestamp=datetime.now(timezone.utc).isoformat())


class GuardedRequestHandler(DefaultRequestHandler):
    """Request handler that refuses answers kagent would misread, and runs a repeated one only once.

    The message id is the idempotency key: who repeats an answer because its reply was lost gets the task as it is now.
    A decision that is refused is a JSON-RPC error and changes nothing.
    """

    def __init__(self, *, task_store: PauseStore, foreign_ids: bool = False, **options) -> None:
        super().__init__(task_store=task_store, **options)
        self._foreign_ids = foreign_ids

    async def on_message_send(self, params, context=None):
        """Method `message/send`."""
        repeated = await self._admit(params.message)
        if repeated is not None:
            return await self._rest(repeated)
        return await super().on_message_send(params, context)

    async def on_message_send_stream(self, params, context=None):
        """Method `message/stream`."""
        repeated = await self._admit(params.message)
        if repeated is not None:
            yield await self._rest(repeated)
            return
        async with aclosing(super().on_message_send_stream(params, context)) as events:
            async for event in events:
                yield event

    async def _admit(self, message: Message) -> Accepted | None:
        """Lets words and fitting answers pass; returns the earlier acceptance of a repeated answer."""
        content = message.model_dump(mode="json", by_alias=True, exclude_none=True)
        try:
            if not answer_parts(content):
                return None
            digest = hashlib.sha256(json_text(content).encode()).hexdigest()
            earlier = self.task_store.accepted(message.message_id)
            if earlier is not None:
                if earlier.digest != digest:
                    raise Refused("this message id belongs to another answer")
                return earlier
            if message.task_id is None:
                raise Refused("an answer names the task that waits for it")
            task = await self.task_store.get(message.task_id)
            if task is None:
                raise Refused(f"there is no task `{message.task_id}`")
            if task.context_id != message.context_id:
                raise Refused("the task belongs to another conversation")
            requests = pending(task)
            if not requests:
                raise Refused(f"the task is {task.status.state.value} and waits for no answer")
            check(content, requests, self._foreign_ids)
            if is_worded(content) and self.task_store.works_beside(task):
                raise Refused("another task of this conversation runs, and may ask before this word is read")
        except Refused as refusal:
            raise ServerError(error=InvalidParamsError(message=str(refusal))) from refusal
        # Nothing is awaited between the look at the task and this line: of two answers at once, one gets here.
        self.task_store.accept(message.message_id, task, digest)
        return None

    async def _rest(self, accepted: Accepted) -> Task | None:
        """The task of an accepted answer, once it has run or paused again."""
        while True:
            task = await self.task_store.get(accepted.task_id)
            if task is None or task.status.state not in RUNNING:
                return task
            await asyncio.sleep(0.05)
