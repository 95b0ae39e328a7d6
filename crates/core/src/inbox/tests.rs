//! Tests of the inbox.
