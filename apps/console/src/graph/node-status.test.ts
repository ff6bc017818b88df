import { expect, it } from '@jest/globals';
import { statusOf } from './node-status.ts';

it.each([
  ['success', undefined, 'success'],
  ['success', { success: 3 }, 'success'],
  ['success', { success: 2, failed: 1 }, 'failed'],
  ['skipped', { skipped: 2, failed: 1 }, 'failed'],
  ['running', { running: 1, failed: 1 }, 'running'],
  ['waiting', { waiting: 1, failed: 1 }, 'waiting'],
] as const)('a node whose latest iteration is %s, of %j, is %s', (status, iterationCounts, expected) => {
  expect(statusOf({ status, ...(iterationCounts && { iterationCounts }) })).toBe(expected);
});
