import { describe, expect, it } from '@jest/globals';
import type { TakenDelivery } from '@deckhand/db';
import type { HttpClient, HttpRequest, HttpResponse } from '@deckhand/engine';
import { createHttpClient } from '@deckhand/nodes';
import { createSecretBox, createSymmetricSecret } from '@deckhand/runtime';
import { MAX_ATTEMPTS } from './retry-schedule.ts';
import { createEventSender } from './send-event.ts';

const NOW = Date.UTC(2026, 10, 25, 12);
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
    expect(JSON.parse(String(first.requests[0]?.body))).toMatchObject({ data: { link: '/api/executions/x' } });
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
