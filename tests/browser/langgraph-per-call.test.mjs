// The demo page with a real LangGraph server behind it: an interrupt for each call.

import { declareWire } from './harness/langgraph.mjs';

declareWire('langgraph-per-call');
