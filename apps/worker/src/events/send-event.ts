import type { EventPayload } from '@deckhand/contracts';
import { type AttemptResult, type TakenDelivery, webhookIdOf } from '@deckhand/db';
import { type HttpClient, NodeError } from '@deckhand/engine';
import { createSigner, type SecretBox, type Signer, signMessage, VERSION } from '@deckhand/runtime';
import { LRUCache } from 'lru-cache';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Delays after failed attempts, in ms: the example schedule of the Standard Webhooks specification, up to 31 hours. */
const DELAYS_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
] as const;
/** The part of a delay that is random, so that the retries of an outage do not come together. */
const JITTER = 0.2;
/** Longest delay that a receiver may request, in ms. */
const MAX_RETRY_AFTER_MS = 24 * HOUR_MS;

/** Maximum number of attempts of an event. */
export const MAX_ATTEMPTS = DELAYS_MS.length + 1;

/** Time limit of an attempt, in ms, from the resolution of the name to the end of the response. */
const TIME_LIMIT_MS = 15_000;
/** Bytes of a response that are read, to keep its connection. */
const MAX_RESPONSE_BYTES = 65_536;
/** Longest time for which all events of an endpoint wait because it asked for that, in ms. */
const MAX_THROTTLE_MS = 3_600_000;
const MAX_ERROR_LENGTH = 500;
/** Opened secrets that are kept, so that a busy endpoint does not cost a decryption per event. */
const KEPT_SIGNERS = 1_000;

/** The status of a run after an event that changed it. */
const STATUSES: Readonly<Partial<Record<TakenDelivery['type'], EventPayload['data']['status']>>> = {
  'run.started': 'running',
  'run.succeeded': 'success',
  'run.failed': 'failed',
  'run.timed_out': 'timeout',
  'run.stopped': 'stopped',
};

/** Makes one attempt to deliver an event. Never rejects. */
export type SendEvent = (delivery: TakenDelivery, signal: AbortSignal) => Promise<AttemptResult>;

/** What sending needs. */
export interface SendEventParts {
  readonly http: HttpClient;
  readonly secretBox: SecretBox;
  /** PUBLIC_URL, without a slash at the end; undefined if it is not set. */
  readonly publicUrl: string | undefined;
  /** The database's time, in ms since the epoch. */
  readonly now: () => number;
  /** From 0 to 1. */
  readonly random?: () => number;
}

/** Creates the function that sends events: signed requests, which any status but 2xx fails. */
export function createEventSender({
  http,
  secretBox,
  publicUrl,
  now,
  random = Math.random,
}: SendEventParts): SendEvent {
  const signers = new LRUCache<string, Signer>({ max: KEPT_SIGNERS });
  /** By the array that the deliveries of a lane share. */
  const signersOfLanes = new WeakMap<readonly string[], Promise<Signer[]>>();

  async function signerOf(sealed: string): Promise<Signer> {
    const signer = signers.get(sealed) ?? createSigner(await secretBox.open(sealed));
    signers.set(sealed, signer);
    return signer;
  }

  function signersOf(sealedSecrets: readonly string[]): Promise<Signer[]> {
    const known = signersOfLanes.get(sealedSecrets) ?? Promise.all(sealedSecrets.map(signerOf));
    signersOfLanes.set(sealedSecrets, known);
    return known;
  }

  async function post(delivery: TakenDelivery, signal: AbortSignal) {
    const payload = toEventBody(delivery, publicUrl);
    const timestamp = Math.floor(now() / 1_000);
    const message = { id: webhookIdOf(delivery.id), timestamp, payload };
    const signed = signMessage(message, await signersOf(delivery.sealedSecrets));
    return http.request({
      method: 'POST',
      url: delivery.url,
      headers: { 'content-type': 'application/json', 'user-agent': `Deckhand/${VERSION}`, ...signed },
      body: payload,
      followRedirects: false,
      maxResponseBytes: MAX_RESPONSE_BYTES,
      ignoresBody: true,
      // Receivers know a repetition by its webhook-id.
      isRepeatable: true,
      signal,
    });
  }

  return async (delivery, signal) => {
    const startedAt = performance.now();
    const at = new Date(now()).toISOString();
    // Cleared with the response: a timer of each event for all of its time costs more than the rest.
    const limit = new AbortController();
    const abort = (): void => limit.abort(signal.reason);
    const timer = setTimeout(() => limit.abort(), TIME_LIMIT_MS);
    signal.addEventListener('abort', abort);
    const finish = (
      status: number | null,
      error: string | null,
      outcome: AttemptResult['outcome'],
      retryAfterMs = 0,
    ): AttemptResult => {
      const retryInMs = outcome === 'retry' ? nextAttemptInMs(delivery.attempt, retryAfterMs, random()) : 0;
      return {
        delivery,
        attempt: { at, status, durationMs: Math.round(performance.now() - startedAt), error },
        outcome: retryInMs === null ? 'failed' : outcome,
        retryInMs: retryInMs ?? 0,
        throttleMs: Math.min(retryAfterMs, MAX_THROTTLE_MS),
      };
    };
    try {
      const { status, headers } = await post(delivery, limit.signal);
      if (status >= 200 && status < 300) return finish(status, null, 'delivered');
      if (status === 410) return finish(status, 'the receiver wants no more events (410)', 'gone');
      const retryAfterMs = readRetryAfterMs(headers['retry-after'], now());
      return finish(status, `the receiver responded with ${status}`, 'retry', retryAfterMs);
    } catch (error) {
      const reason =
        limit.signal.aborted && !signal.aborted ? `no response within ${TIME_LIMIT_MS / 1_000} s` : messageOf(error);
      return finish(null, reason.slice(0, MAX_ERROR_LENGTH), 'retry');
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    }
  };
}

/** Returns the message of an expected error. Others, such as a secret that cannot be opened, name only their kind. */
function messageOf(error: unknown): string {
  if (error instanceof NodeError) return error.message;
  return error instanceof Error ? error.name : 'unknown error';
}

/**
 * Returns the body of an event, the same for each attempt. It follows from the stored row alone.
 * @param publicUrl where this instance is reached, without a slash at the end; undefined for links without a host.
 */
function toEventBody(delivery: TakenDelivery, publicUrl: string | undefined): string {
  const { workspaceId, workflowId, executionId, nodeId, iteration, revision, type } = delivery;
  const status = STATUSES[type];
  const payload: EventPayload = {
    type,
    timestamp: delivery.occurredAt.toISOString(),
    data: {
      workspaceId,
      ...(workflowId === null ? {} : { workflowId }),
      ...(executionId === null ? {} : { executionId }),
      ...(status === undefined ? {} : { status }),
      ...(nodeId === null ? {} : { nodeId, iteration }),
      ...(revision === null ? {} : { etag: `W/"${revision}"` }),
      link: `${publicUrl ?? ''}${pathOf(delivery)}`,
    },
  };
  return JSON.stringify(payload);
}

function pathOf({ executionId, workflowId, endpointId }: TakenDelivery): string {
  if (executionId !== null) return `/api/executions/${executionId}`;
  return workflowId === null ? `/api/event-endpoints/${endpointId}` : `/api/workflows/${workflowId}`;
}

/**
 * Returns the delay after a failed attempt, in ms; null if it was the last one.
 * @param attempt its number, from 1.
 * @param retryAfterMs what the receiver asked for; the delay is not shorter.
 * @param random a number from 0 to 1.
 */
export function nextAttemptInMs(attempt: number, retryAfterMs: number, random: number): number | null {
  const delayMs = DELAYS_MS[attempt - 1];
  if (delayMs === undefined) return null;
  return Math.max(Math.round(delayMs * (1 + JITTER * random)), retryAfterMs);
}

/**
 * Reads a `Retry-After` header: seconds, or an HTTP date.
 * @param now ms since the epoch.
 * @returns ms, at most a day; 0 without a valid header.
 */
export function readRetryAfterMs(header: string | undefined, now: number): number {
  if (header === undefined) return 0;
  const text = header.trim();
  const ms = /^\d+$/.test(text) ? Number(text) * SECOND_MS : Date.parse(text) - now;
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(ms, 0), MAX_RETRY_AFTER_MS);
}
