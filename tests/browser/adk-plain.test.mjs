// The plain page of www/examples with a real backend behind it.

import { declarePlain } from './harness/plain.mjs';

declarePlain('adk');
