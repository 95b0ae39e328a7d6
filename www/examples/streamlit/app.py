"""A chat in Streamlit, in front of an agent in the same process. `server.py` starts it."""

import uuid
from pathlib import Path

import streamlit as st

from agent import conversation
from approvals import Refused

inbox = st.components.v2.component("countersign_inbox", js=(Path(__file__).parent / "inbox.js").read_text())

st.set_page_config(page_title="Streamlit · Countersign")
# The conversation stands in the address: a reload finds it again. Who knows it may decide.
name = st.query_params.setdefault("conversation", str(uuid.uuid4()))
talk = conversation(name)
receipts = st.session_state.setdefault("receipts", {})


def answered() -> None:
    """Hands on what a person decided. Each answer has an id, and is taken once."""
    for key, text in (st.session_state.inbox.answers or {}).items():
        if key in receipts:
            continue
        try:
            talk.approvals.answer(text)
            receipts[key] = None
        except Refused as refusal:
            receipts[key] = {"status": refusal.status, "why": str(refusal)}


# A page hears of nothing by itself: it looks once a second. Only this part is drawn again.
@st.fragment(run_every=1)
def chat() -> None:
    """What was said, and the calls."""
    # A container for each: what is said must not move the inbox to another place, where it would be made anew.
    words, calls = st.container(), st.container()
    for role, text in list(talk.said):
        words.chat_message(role).text(text)
    data = {"server": talk.approvals.server, "log": list(talk.approvals.log), "receipts": dict(receipts)}
    with calls:
        inbox(key="inbox", data=data, on_answers_change=answered)


chat()
if said := st.chat_input("Message"):
    if talk.say(said):
        st.rerun()
    st.toast("The agent is still at work on what you said before.")
