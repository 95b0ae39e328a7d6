// The plain page in Rust against google-adk's `to_a2a`, over A2A 1.0.

import { declareYew } from './harness/yew.mjs';

declareYew('adk_a2a', { wire: 'kagent-hitl-v1', system: 'kagent', path: '/deep', isKept: true });
