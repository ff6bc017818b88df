import { accept } from './accept.ts';
import { endToEnd } from './end-to-end.ts';
import { largeData } from './large-data.ts';
import { latency } from './latency.ts';
import { chainOfNodes, loopOfNodes } from './nodes.ts';
import { polling } from './polling.ts';
import { recovery } from './recovery.ts';
import type { Scenario } from './scenario.ts';
import { webhookOnCompletion } from './webhook.ts';

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
