// The demo page with a real LangGraph server behind it: a HumanInterrupt for each call.

import { declareWire } from './harness/langgraph.mjs';

declareWire('langgraph-interrupt');
