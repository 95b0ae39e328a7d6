// The demo page with a real LangGraph server behind it: LangChain's middleware, all calls of a pause together.

import { declareWire } from './harness/langgraph.mjs';

declareWire('langgraph-hitl');
