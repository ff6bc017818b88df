import type { AttemptResult, TakenDelivery } from '@deckhand/db';
import { webhookIdOf } from '@deckhand/db';
import { type HttpClient, NodeError } from '@deckhand/engine';
import { createSigner, type SecretBox, signMessage, type Signer, VERSION } from '@deckhand/runtime';
import { LRUCache } from 'lru-cache';
import { toEventBody } from './event-payload.ts';
import { nextAttemptInMs, readRetryAfterMs } from './retry-schedule.ts';

/** Time limit of an attempt, in ms, from the resolution of the name to the end of the response. */
const TIME_LIMIT_MS = 15_000;
/** Bytes of a response that are read, to keep its connection. */
const MAX_RESPONSE_BYTES = 65_536;
/** Longest time for which all events of an endpoint wait because it asked for that, in ms. */
const MAX_THROTTLE_MS = 3_600_000;
const MAX_ERROR_LENGTH = 500;
/** Opened secrets that are kept, so that a busy endpoint does not cost a decryption per event. */
const KEPT_SIGNERS = 1_000;

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
