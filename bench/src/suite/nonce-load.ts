import { parseOwnJson } from '@deckhand/contracts';
import { randomUUID } from 'node:crypto';
import { Pool } from 'undici';
import { quantile } from './times.ts';

/** The result of a load of requests. Times in ms. */
export interface NonceLoad {
  readonly requests: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** Requests without a response, or with another status than 200. */
  readonly lost: number;
  /** Answers with the nonce of another request. */
  readonly crossed: number;
}

/**
 * Sends requests over a number of connections for a time, each with a nonce that its response must contain. Waits for
 * the last ones: every request that was sent is counted.
 */
export async function loadWithNonces(
  url: string,
  { connections, seconds }: { connections: number; seconds: number },
): Promise<NonceLoad> {
  const { origin, pathname } = new URL(url);
  const pool = new Pool(origin, { connections, pipelining: 1, headersTimeout: 60_000 });
  const times: number[] = [];
  let lost = 0;
  let crossed = 0;
  const startedAt = performance.now();
  const endsAt = startedAt + seconds * 1_000;

  async function ask(): Promise<void> {
    const nonce = randomUUID();
    const sentAt = performance.now();
    const answer = await pool.request({
      method: 'POST',
      path: pathname,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ nonce }),
    });
    const text = await answer.body.text();
    times.push(performance.now() - sentAt);
    if (answer.statusCode !== 200) lost += 1;
    else if (parseOwnJson<{ nonce?: string }>(text).nonce !== nonce) crossed += 1;
  }

  async function caller(): Promise<void> {
    while (performance.now() < endsAt) {
      await ask().catch(() => {
        times.push(performance.now() - startedAt);
        lost += 1;
      });
    }
  }

  await Promise.all(Array.from({ length: connections }, caller));
  const tookSeconds = (performance.now() - startedAt) / 1_000;
  await pool.close();
  return {
    requests: times.length,
    perSecond: times.length / tookSeconds,
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    lost,
    crossed,
  };
}
