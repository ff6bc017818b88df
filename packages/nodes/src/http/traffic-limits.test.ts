import { type HttpResponse, NodeError, type TrafficLimits, type TrafficRequest } from '@deckhand/engine';
import { describe, expect, it } from '@jest/globals';
import { sendWithinLimits } from './traffic-limits.ts';

const limits: TrafficLimits = { credentialId: 'c', rateLimit: { requests: 1, per: 'second' }, circuit: null };
const request = (signal = new AbortController().signal) => ({
  ...{ method: 'GET', url: 'https://api.example:8443/a?b=c', headers: {}, body: undefined },
  ...{ followRedirects: true, maxResponseBytes: 1_000, signal },
});
const responding = (status: number) => (): Promise<HttpResponse> =>
  Promise.resolve({ status, headers: {}, setCookies: [], body: new Uint8Array() });

async function send(
  respond: () => Promise<HttpResponse>,
  signal?: AbortSignal,
  of: TrafficLimits | undefined = limits,
  tookMs = 0,
) {
  let time = 0;
  const reports: string[] = [];
  const asked: TrafficRequest[] = [];
  const traffic = {
    admit(each: TrafficRequest) {
      asked.push(each);
      return Promise.resolve({
        waitedMs: 7,
        report: (outcome: string) => {
          reports.push(outcome);
          return Promise.resolve();
        },
      });
    },
  };
  const options = {
    services: { http: { request: respond }, traffic },
    limits: of,
    ticket: 't',
    mayRest: true,
    now: () => (time += tookMs),
  };
  const result = await sendWithinLimits(request(signal), options).catch((error: unknown) => error);
  return { result, reports, asked };
}

describe('a request within limits', () => {
  it('asks for its host, and says how long it waited', async () => {
    const { result, asked, reports } = await send(responding(200));
    expect(result).toMatchObject({ waitedMs: 7, answer: { status: 200 } });
    expect(asked).toMatchObject([{ host: 'api.example:8443', ticket: 't', mayRest: true, limits }]);
    expect(reports).toEqual(['success']);
    expect((await send(responding(200), undefined, { ...limits, rateLimit: null })).result).toMatchObject({
      waitedMs: undefined,
    });
  });

  it('reports responses by their status', async () => {
    for (const [status, outcome] of [
      [404, 'success'],
      [429, 'success'],
      [500, 'failure'],
      [503, 'failure'],
    ] as const)
      expect((await send(responding(status))).reports).toEqual([outcome]);
  });

  it('reports a host that gives no response, and says nothing of what it did not cause', async () => {
    const failing = (error: Error) => (): Promise<HttpResponse> => Promise.reject(error);
    const cases: [Error, string][] = [
      [new NodeError('HTTP_REQUEST_FAILED', 'refused'), 'failure'],
      [new NodeError('HTTP_REQUEST_FAILED', 'too many redirects', { isRetryable: false }), 'unknown'],
      [new NodeError('ADDRESS_REFUSED', 'private'), 'unknown'],
      [new NodeError('RESPONSE_TOO_LARGE', 'large'), 'unknown'],
    ];
    for (const [error, outcome] of cases) {
      const { result, reports } = await send(failing(error));
      expect([result, reports]).toEqual([error, [outcome]]);
    }
    const late = AbortSignal.abort(new NodeError('NODE_TIMEOUT', 'late'));
    // A second is a fair chance; less is left for a request that waited for the rate until its node's time was up.
    const aborted = failing(new NodeError('HTTP_REQUEST_FAILED', 'aborted'));
    expect((await send(aborted, late, limits, 1_000)).reports).toEqual(['failure']);
    expect((await send(aborted, late, limits, 999)).reports).toEqual(['unknown']);
    const stopped = AbortSignal.abort();
    expect((await send(failing(new NodeError('HTTP_REQUEST_FAILED', 'aborted')), stopped)).reports).toEqual([
      'unknown',
    ]);
  });
});
