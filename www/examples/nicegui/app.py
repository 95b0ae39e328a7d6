"""A chat in NiceGUI, in front of an agent in the same process.

python app.py
"""

import os
import uuid

from nicegui import Event, app, ui
from nicegui.element import Element
from starlette.responses import RedirectResponse

from agent import Refused, Thread
from fence import Fence

app.add_middleware(Fence, hosts=["127.0.0.1", "localhost"])

threads: dict[uuid.UUID, Thread] = {}
changed: Event[uuid.UUID] = Event()


class Inbox(Element, component="inbox.js", esm={"countersign": "static/countersign/dist"}):
    """The calls of one thread, in one page."""

    def __init__(self, thread: Thread) -> None:
        super().__init__()
        self._thread = thread
        self._props["receipts"] = {}
        self.show()
        self.on("answer", lambda event: self._answered(**event.args))

    def show(self) -> None:
        """Hands the states of the thread on, as texts."""
        self._props["states"] = self._thread.history()
        self.update()

    def _answered(self, id: str, body: str) -> None:
        receipts = self._props["receipts"]
        # What is sent again, because its receipt was lost, is not answered again.
        if id not in receipts:
            try:
                self._thread.answer(body)
                refusal = None
            except Refused as error:
                refusal = {"status": error.status, "why": str(error)}
            self._props["receipts"] = {**receipts, id: refusal}
            self.update()


@ui.page("/")
def begin() -> RedirectResponse:
    """Another conversation. It stands in the address, so that a reload finds it again; who knows it may decide."""
    return RedirectResponse(f"/{uuid.uuid4()}")


@ui.page("/{name}", title="NiceGUI · Countersign")
def chat(name: uuid.UUID) -> None:
    """What was said, and the calls."""
    thread = threads.setdefault(name, Thread(str(name), lambda: changed.emit(name)))

    @ui.refreshable
    def words() -> None:
        for role, text in thread.said():
            ui.chat_message(text, name=role, sent=role == "human")
        if thread.error:
            ui.label(thread.error)

    def say() -> None:
        if not field.value:
            return
        try:
            thread.say(field.value)
            field.value = ""
        except Refused as refusal:
            ui.notify(str(refusal))

    def look(which: uuid.UUID) -> None:
        if which == name:
            words.refresh()
            inbox.show()

    with ui.column().classes("w-full max-w-3xl mx-auto"):
        words()
        inbox = Inbox(thread).classes("w-full")
        field = ui.input("Message").classes("w-full").on("keydown.enter", say)
    # All pages of a thread hear of what one of them did.
    changed.subscribe(look)


ui.run(host="127.0.0.1", port=int(os.environ.get("PORT", "8080")), show=False, reload=False)
