import autocannon from 'autocannon';
import type { Figures } from './scenario.ts';

/** Time between two checks of the load generator, in ms. */
const SAMPLE_MS = 20;

/** A request that is sent again and again. */
export interface Load {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly connections: number;
  /** How many requests in all. */
  readonly amount: number;
  /** Requests per second; without it, as many as are answered. */
  readonly perSecond?: number;
  /** What every response must contain. */
  readonly status: number;
}

/** The result of a load; times in ms. */
export interface LoadResult {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
}

/** Sends a load. @throws when a response has another status, or none comes. */
export async function send(load: Load): Promise<LoadResult> {
  const { url, method, headers = {}, body, connections, amount, perSecond, status } = load;
  const startedAt = performance.now();
  const result = await autocannon({
    url,
    method,
    headers: { 'content-type': 'application/json', ...headers },
    connections,
    amount,
    // Only then does it notice the last response.
    sampleInt: SAMPLE_MS,
    ...(body === undefined ? {} : { body }),
    ...(perSecond === undefined ? {} : { overallRate: perSecond }),
  });
  const seconds = (performance.now() - startedAt) / 1_000;
  const statuses: Readonly<Record<string, { count?: number }>> = result.statusCodeStats ?? {};
  const right = statuses[status]?.count ?? 0;
  if (right !== amount) throw new Error(`${url}: ${amount - right} of ${amount} answers are no ${status}`);
  return { perSecond: amount / seconds, p50: result.latency.p50, p99: result.latency.p99 };
}

/** The figures of a load. */
export function figuresOf({ perSecond, p50, p99 }: LoadResult): Figures {
  return { 'requests/s': perSecond, 'p50 ms': p50, 'p99 ms': p99 };
}
