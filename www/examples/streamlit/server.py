"""Starts the page: streamlit run server.py

Streamlit compares the origin of a page with the name it was asked under, whatever that is. So the name is looked at
here: a foreign one that resolves to this machine reaches nothing.
"""

import streamlit as st
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware

app = st.App("app.py", middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=["127.0.0.1", "localhost"])])
