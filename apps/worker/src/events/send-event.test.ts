import { describe, expect, it } from '@jest/globals';
import type { TakenDelivery } from '@deckhand/db';
import type { HttpClient, HttpRequest, HttpResponse } from '@deckhand/engine';
import { createHttpClient } from '@deckhand/nodes';
import { createSecretBox, createSymmetricSecret } from '@deckhand/runtime';
import { createEventSender, MAX_ATTEMPTS, nextAttemptInMs, readRetryAfterMs } from './send-event.ts';

const NOW = Date.UTC(2026, 10, 25, 12);
const DAY_MS = 86_400_000;
const box = createSecretBox('a key for tests, thirty-two characters or more');

async function delivery(members: Partial<TakenDelivery> = {}): Promise<TakenDelivery> {
  return {
    id: '8a3f0c52-6b1d-4f0e-9d7a-2f6f1f5f9f10',
    endpointId: 'e',
    workspaceId: 'w',
    type: 'run.failed',
    workflowId: 'f',
    executionId: 'x',
    nodeId: null,
    iteration: null,
    revision: 7,
    occurredAt: new Date(NOW - 1_000),
    attempt: 1,
    url: 'http://127.0.0.1:9/events',
    sealedSecrets: [await box.seal(createSymmetricSecret())],
    hasFailures: false,
    ...members,
  };
}

/** Sends an event to a receiver that responds so. */
async function send(response: Partial<HttpResponse>, members: Partial<TakenDelivery> = {}) {
  const requests: HttpRequest[] = [];
  const http: HttpClient = {
    request(request) {
      requests.push(request);
      return Promise.resolve({ status: 200, headers: {}, setCookies: [], body: new Uint8Array(), ...response });
    },
  };
  const sendEvent = createEventSender({ http, secretBox: box, publicUrl: undefined, now: () => NOW, random: () => 0 });
  return { result: await sendEvent(await delivery(members), new AbortController().signal), requests };
}

describe('an event', () => {
  it('is sent with the time of the attempt, and its body follows from the stored row alone', async () => {
    const [first, second] = [await send({}), await send({}, { attempt: 2 })];
    expect(first.requests[0]).toMatchObject({
      method: 'POST',
      followRedirects: false,
      headers: {
        'webhook-id': 'msg_8a3f0c52-6b1d-4f0e-9d7a-2f6f1f5f9f10',
        'webhook-timestamp': String(NOW / 1_000),
        'webhook-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
      },
    });
    expect(first.requests[0]?.body).toBe(second.requests[0]?.body);
    const body = first.requests[0]?.body;
    expect(typeof body === 'string' && JSON.parse(body)).toMatchObject({ data: { link: '/api/executions/x' } });
  });

  it.each([
    [200, 'delivered', 0],
    [204, 'delivered', 0],
    [299, 'delivered', 0],
    [302, 'retry', 5_000],
    [400, 'retry', 5_000],
    [404, 'retry', 5_000],
    [410, 'gone', 0],
    [500, 'retry', 5_000],
  ])('that is responded to with %i: %s', async (status, outcome, retryInMs) => {
    expect((await send({ status })).result).toMatchObject({ outcome, retryInMs, attempt: { status } });
  });

  it('has failed after the last attempt', async () => {
    expect((await send({ status: 500 }, { attempt: MAX_ATTEMPTS })).result.outcome).toBe('failed');
    expect((await send({ status: 500 }, { attempt: MAX_ATTEMPTS - 1 })).result.outcome).toBe('retry');
  });

  it('waits as long as Retry-After says, and so does its endpoint, up to an hour', async () => {
    const { result } = await send({ status: 503, headers: { 'retry-after': '7200' } });
    expect(result).toMatchObject({ outcome: 'retry', retryInMs: 7_200_000, throttleMs: 3_600_000 });
  });

  it('is not sent to a private address', async () => {
    const http = createHttpClient({ allowPrivate: false });
    const sendEvent = createEventSender({ http, secretBox: box, publicUrl: undefined, now: () => NOW });
    for (const url of ['http://127.0.0.1:9/', 'http://[::1]:9/', 'http://169.254.169.254/', 'http://localhost:9/']) {
      const { outcome, attempt } = await sendEvent(await delivery({ url }), new AbortController().signal);
      expect(outcome).toBe('retry');
      expect(attempt).toMatchObject({ status: null, error: expect.stringContaining('is not a public address') });
    }
  });

  it('whose secret cannot be opened is retried, and its log names neither secret nor key', async () => {
    const sealed = await createSecretBox('another key for tests, thirty-two characters').seal(createSymmetricSecret());
    const { result, requests } = await send({}, { sealedSecrets: [sealed] });
    expect(result).toMatchObject({ outcome: 'retry', attempt: { error: 'SecretBoxError' } });
    expect(requests).toEqual([]);
  });
});

describe('retries of an event', () => {
  it('follow the schedule of the specification, over more than a day', () => {
    const delays = Array.from({ length: MAX_ATTEMPTS }, (_, index) => nextAttemptInMs(index + 1, 0, 0));
    const [s, min, h] = [1_000, 60_000, 3_600_000];
    expect(delays).toEqual([5 * s, 5 * min, 30 * min, 2 * h, 5 * h, 10 * h, 14 * h, null]);
    expect(delays.reduce<number>((sum, delay) => sum + (delay ?? 0), 0)).toBeGreaterThan(DAY_MS);
  });

  it('are spread by up to a fifth', () => {
    expect(nextAttemptInMs(1, 0, 1)).toBe(6_000);
    expect(nextAttemptInMs(1, 0, 0.5)).toBe(5_500);
  });

  it('wait at least as long as the receiver asks, and not longer than the schedule otherwise', () => {
    expect(nextAttemptInMs(1, 60_000, 0)).toBe(60_000);
    expect(nextAttemptInMs(3, 60_000, 0)).toBe(1_800_000);
    expect(nextAttemptInMs(MAX_ATTEMPTS, 60_000, 0)).toBeNull();
  });
});

describe('Retry-After', () => {
  it.each([
    ['120', 120_000],
    [' 7 ', 7_000],
    ['Wed, 25 Nov 2026 12:00:30 GMT', 30_000],
    ['Wed, 25 Nov 2026 11:00:00 GMT', 0],
    ['9999999999', DAY_MS],
    ['Fri, 25 Nov 2050 12:00:00 GMT', DAY_MS],
    ['soon', 0],
    ['-5', 0],
    ['', 0],
  ])('"%s" is %i ms', (header, ms) => {
    expect(readRetryAfterMs(header, NOW)).toBe(ms);
  });

  it('may be missing', () => {
    expect(readRetryAfterMs(undefined, NOW)).toBe(0);
  });
});
