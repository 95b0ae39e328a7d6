// A page in Rust in front of the real framework, over its web socket and over its own handler.

import { declareYew } from './harness/yew.mjs';

declareYew('adalflow', { wire: 'adalflow-ws', isFollowed: true });
declareYew('adalflow', { wire: 'adalflow-rest', isFollowed: true });
