import type { JsonValue } from '@deckhand/contracts';
import { NodeError, type TrafficRequest } from '@deckhand/engine';
import type { CheckContext } from '@deckhand/nodes';
import { describe, expect, it } from '@jest/globals';
import { NO_SERVICES } from '../../../../tests/harness/node-context.ts';
import { createWorkspaceShares } from '../runs/workspace-shares.ts';
import { createTryCredential } from './try-credential.ts';

const CREDENTIAL = {
  ...({ id: 'c', workspaceId: 'w', name: 'n', type: 'bearer', sealedSecret: 's', isApiKey: false } as const),
  ...{ allowedHosts: [], rateLimit: null, circuit: null, refusal: null },
};

/** Tries a credential. @returns the outcome, and what was asked of the limits of credentials. */
async function tryIt(work: (context: CheckContext) => Promise<JsonValue>, gone = new AbortController().signal) {
  const asked: TrafficRequest[] = [];
  const traffic = {
    admit(request: TrafficRequest) {
      asked.push(request);
      return Promise.resolve({ waitedMs: 0, report: () => Promise.resolve() });
    },
  };
  const tryCredential = createTryCredential({
    open: () => Promise.resolve({ type: 'bearer', secret: { token: 'secret-token' } }),
    services: { ...NO_SERVICES, mail: { ...NO_SERVICES.mail, signIn: () => Promise.resolve() }, traffic },
    shares: createWorkspaceShares(),
    count: () => Promise.resolve(),
  });
  return { outcome: await tryCredential(CREDENTIAL, work, gone), asked };
}

describe('a use of a credential outside of a run', () => {
  it.each(['before', 'meanwhile'])('ends when its caller has left %s', async (when) => {
    const caller = new AbortController();
    if (when === 'before') caller.abort();
    const { outcome } = await tryIt(({ signal }) => {
      const ended = new Promise<never>((_resolve, reject) => {
        // As timers do: not with the reason of the signal.
        if (signal().aborted) reject(new Error('aborted'));
        signal().addEventListener('abort', () => reject(new Error('aborted')));
      });
      caller.abort();
      return ended;
    }, caller.signal);
    expect(outcome).toEqual({ kind: 'failure', failure: { code: 'CALLER_LEFT', message: 'the caller has left' } });
  });

  it('fails with a text that can be stored, whatever a service said', async () => {
    const said = `a\0b\ud800${'x'.repeat(1_995)}\u{1f600}`;
    const { outcome } = await tryIt(() => Promise.reject(new NodeError('HTTP_STATUS', said)));
    const message = `ab\ufffd${'x'.repeat(1_995)}\ufffd`;
    expect(outcome).toEqual({ kind: 'failure', failure: { code: 'HTTP_STATUS', message } });
  });

  it.each([
    [undefined, 5],
    [3_600, 5],
    [1, 1],
  ])('waits shortly for a rate with maxWaitSeconds %s', async (given, waited) => {
    const rateLimit = { requests: 1, per: 'minute', ...(given !== undefined && { maxWaitSeconds: given }) } as const;
    const { asked } = await tryIt(async ({ services, signal }) => {
      const limits = { credentialId: 'c', rateLimit, circuit: null };
      await services.traffic.admit({ limits, host: 'a', ticket: 't', mayRest: true, signal: signal() });
      return null;
    });
    expect(asked).toMatchObject([{ limits: { rateLimit: { ...rateLimit, maxWaitSeconds: waited } } }]);
  });
});
