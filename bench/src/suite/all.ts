import { accept } from './accept.js';
import { endToEnd } from './end-to-end.js';
import { largeData } from './large-data.js';
import { latency } from './latency.js';
import { chainOfNodes, loopOfNodes } from './nodes.js';
import { polling } from './polling.js';
import { recovery } from './recovery.js';
import type { Scenario } from './scenario.js';
import { webhookOnCompletion } from './webhook.js';

/**
 * All scenarios that are compared with their floor, in order. Latency comes last, when V8 has compiled the hot code, as
 * in a service in use.
 */
export const SUITE: readonly Scenario[] = [
  accept,
  endToEnd,
  latency,
  webhookOnCompletion(1, 5),
  webhookOnCompletion(20, 10),
  webhookOnCompletion(200, 10),
  polling({ isUnchanged: false }),
  polling({ isUnchanged: true }),
  chainOfNodes,
  loopOfNodes,
  largeData,
  recovery,
];
