// A page in Rust in front of the real framework.

import { declareYew } from './harness/yew.mjs';

declareYew('kagent', { isKept: true });
