// A page in Rust in front of the real framework.

import { declareYew } from './harness/yew.mjs';

declareYew('adk', { isLasting: true, isKept: true });
