import { describe, expect, it } from '@jest/globals';
import { nodeContext } from '../../../../tests/harness/node-context.ts';
import wait from './wait.ts';

const runUntil = (until: string) => wait.run({ until }, nodeContext({ now: () => 0 }));

describe('the time of a wait', () => {
  it.each(['1', 'Jan 5', '2027-02-30', '11/12/2026', '2026-11-20 10:00', 'Fri, 20 Nov 2026 10:00:00 GMT', ''])(
    'is ISO 8601, and not %j',
    (until) => expect(() => runUntil(until)).toThrow('parameters.until is not a time (ISO 8601)'),
  );

  it.each(['2026-11-20', '2026-11-20T00:00', '2026-11-20T00:00:00Z', '2026-11-20T01:00+01:00'])(
    'is in UTC without an offset: %s',
    (until) => {
      const dueAt = Date.UTC(2026, 10, 20);
      expect(runUntil(until)).toEqual({ kind: 'wait', wait: { kind: 'time', details: {}, dueAt } });
    },
  );
});
