// The plain page in Rust against kagent's main branch; as `kagent_main.test.mjs`, it is left out unless it is there.

import { declareYew } from './harness/yew.mjs';

declareYew('kagent_main', { wire: 'kagent-hitl-v1', system: 'kagent', isKept: true });
