"""What `langgraph_smoke.py` says to a thread, and how it reads what comes back, in whatever form a graph asks."""

import json
import uuid

import httpx

from countersign_backend.http_smoke import Backend

APPROVE = {"type": "approve"}
REJECT = {"type": "reject"}
ACCEPT = {"type": "accept", "args": None}
IGNORE = {"type": "ignore", "args": None}
ALL_GRAPHS = ("hitl-python", "per-call", "human-interrupt", "agent-os", "subagent")
TOO_LATE = "Nobody decided in time. What waited was not run."


class Conversation:
    """One thread of a backend."""

    def __init__(self, backend: Backend, graph: str = "hitl-python", thread: str | None = None) -> None:
        self.backend = backend
        self.graph = graph
        self.thread = thread or str(uuid.uuid4())

    def on(self, graph: str) -> "Conversation":
        """A thread of another graph."""
        return Conversation(self.backend, graph)

    def run(self, path: str = "stream", key: str | None = None, **members) -> httpx.Response:
        body = {"assistant_id": self.graph, "stream_mode": ["updates", "values"], **members}
        headers = {"Idempotency-Key": key} if key else {}
        return self.backend.http.post(f"/threads/{self.thread}/runs/{path}", json=body, headers=headers)

    def say(self, words: str) -> list[dict]:
        """The interrupts that typed words lead to."""
        words = f"delegate: {words}" if self.graph == "subagent" else words
        return interrupts(events(self.run(input={"messages": [{"role": "user", "content": words}]})))

    def resume(self, answers: dict, **members) -> httpx.Response:
        return self.run(command={"resume": answers}, **members)

    def state(self) -> dict:
        return self.backend.http.get(f"/threads/{self.thread}/state").raise_for_status().json()

    def waiting(self) -> list[dict]:
        return [one for task in self.state()["tasks"] for one in task["interrupts"]]

    def tool_messages(self) -> list[tuple[str, str, str]]:
        found = self.state()["values"]["messages"]
        return [(one["name"], one["status"], one["content"]) for one in found if one["type"] == "tool"]

    def executed(self) -> list[tuple[str, str]]:
        return self.backend.executed(self.thread)

    def told(self) -> list[tuple[str, str]]:
        return [(tool, json.loads(text)) for tool, text in self.backend.told(self.thread)]


def events(response: httpx.Response) -> list[tuple[str, dict]]:
    """The stream as `(event, data)`."""
    assert response.status_code == 200, response.text
    found, name = [], ""
    for line in response.text.splitlines():
        if line.startswith("event:"):
            name = line.removeprefix("event:").strip()
        elif line.startswith("data:"):
            found.append((name, json.loads(line.removeprefix("data:"))))
    assert all(name != "error" for name, _ in found), found[-1]
    return found


def interrupts(of: list[tuple[str, dict]]) -> list[dict]:
    """The interrupts of a stream, each once."""
    found = {}
    for _, data in of:
        for one in data.get("__interrupt__") or []:
            found[one["id"]] = one
    return list(found.values())


def calls(asked: list[dict]) -> list[tuple[str, str, dict]]:
    """`(interrupt id, tool, arguments)` of every request, whatever form it has."""
    found = []
    for one in asked:
        value = one["value"]
        if isinstance(value, dict) and "action_requests" in value:
            found += [(one["id"], action["name"], action["args"]) for action in value["action_requests"]]
        elif isinstance(value, dict) and value.get("type") == "tool_approval":
            found.append((one["id"], value["name"], value["args"]))
        else:
            for each in value if isinstance(value, list) else [value]:
                action = each["action_request"]
                found.append((one["id"], action["action"].removeprefix("tool_approval_"), action["args"]))
    return found


def answer(graph: str, one: dict, decisions: list[dict]) -> dict | list:
    """Decisions in the middleware's words, in the form that this graph reads."""
    if graph in ("hitl-python", "subagent"):
        return {"decisions": decisions}
    if graph == "per-call":
        return decisions[0]
    value = one["value"] if isinstance(one["value"], dict) else one["value"][0]
    action = value["action_request"]["action"]
    return [in_old_words(decision, action) for decision in decisions]


def in_old_words(decision: dict, action: str) -> dict:
    if decision["type"] == "approve":
        return ACCEPT
    if decision["type"] == "reject":
        return IGNORE
    if decision["type"] == "respond":
        return {"type": "response", "args": decision["message"]}
    return {"type": "edit", "args": {"action": action, "args": decision["edited_action"]["args"]}}


def decide_all(talk: Conversation, asked: list[dict], decisions: list[dict]) -> list[dict]:
    """Decides every call of a turn, in order; returns what is asked next."""
    if talk.graph in ("hitl-python", "subagent"):
        [one] = asked
        return interrupts(events(talk.resume({one["id"]: answer(talk.graph, one, decisions)})))
    if talk.graph == "agent-os":
        for decision in decisions:
            [one] = asked
            asked = interrupts(events(talk.resume({one["id"]: answer(talk.graph, one, [decision])})))
        return asked
    # Parallel interrupts come in any order.
    by_call = dict(zip(range(len(decisions)), decisions, strict=True))
    answers = {one["id"]: answer(talk.graph, one, [by_call[at]]) for at, one in enumerate(asked)}
    return interrupts(events(talk.resume(answers)))


def edit_of(tool: str, args: dict) -> dict:
    return {"type": "edit", "edited_action": {"name": tool, "args": args}}
