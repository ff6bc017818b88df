import { Agent, request } from 'node:http';
import { randomUUID } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { isNativeError } from 'node:util/types';

/** The results of a client's requests. */
export interface LoadReport {
  /** Ids of the runs that were acknowledged with 202, in no order. */
  readonly acknowledged: readonly string[];
  /** Ids of runs that the API named when it refused them. */
  readonly refused: readonly string[];
  /** Number of responses per status, with the code of those that have one: `202`, `503 QUEUE_UNAVAILABLE`. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Requests without a response after all attempts. */
  readonly unanswered: readonly string[];
  /** Requests sent again because a connection was refused or reset. */
  readonly retries: number;
  /** From a request's first attempt to its response, in ms, sorted. */
  readonly latencies: readonly number[];
  /** The longest time between two acknowledgements, in ms. */
  readonly longestGapMs: number;
}

/** A client that starts runs at a steady pace. */
export interface Load {
  /** The ids that were acknowledged so far. */
  readonly acknowledged: readonly string[];
  /** Stops sending and resolves once every request has its response. */
  stop(): Promise<LoadReport>;
}

/** Between two tries of a request, in ms. */
const RETRY_MS = 100;
/** Tries in all: long enough for a restart. */
const MAX_TRIES = 300;
const TICK_MS = 20;

/**
 * Starts runs `perSecond`, each request under an `Idempotency-Key` of its own and the next one at the next of the
 * gateways. Like a careful client it tries only those again whose connection was refused or reset, at another gateway.
 */
export function startLoad(options: {
  urls: readonly string[];
  path: string;
  key: string;
  perSecond: number;
  body: (n: number) => object;
}): Load {
  const agent = new Agent({ keepAlive: true, maxSockets: 200 });
  const acknowledged: string[] = [];
  const refused: string[] = [];
  const statuses: Record<string, number> = {};
  const unanswered: string[] = [];
  const latencies: number[] = [];
  const open = new Set<Promise<void>>();
  let retries = 0;
  let sent = 0;
  let longestGapMs = 0;
  let acknowledgedAt = performance.now();

  async function start(n: number): Promise<void> {
    const body = JSON.stringify(options.body(n));
    const headers = {
      'x-api-key': options.key,
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      'idempotency-key': randomUUID(),
    };
    const startedAt = performance.now();
    let fault: unknown;
    for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
      const url = options.urls[(n + attempt) % options.urls.length] ?? '';
      try {
        const { status, answer } = await post(agent, url + options.path, headers, body);
        latencies.push(performance.now() - startedAt);
        const { executionId, code } = JSON.parse(answer) as { executionId?: string; code?: string };
        const kind = code === undefined ? String(status) : `${status} ${code}`;
        statuses[kind] = (statuses[kind] ?? 0) + 1;
        if (executionId !== undefined) (status === 202 ? acknowledged : refused).push(executionId);
        if (status === 202) {
          longestGapMs = Math.max(longestGapMs, performance.now() - acknowledgedAt);
          acknowledgedAt = performance.now();
        }
        return;
      } catch (error) {
        fault = error;
        if (!isRefusedOrReset(error)) break;
        retries += 1;
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
    unanswered.push(String(fault));
  }

  const beganAt = performance.now();
  const timer = setInterval(() => {
    const due = Math.floor(((performance.now() - beganAt) / 1_000) * options.perSecond);
    // After a stall of this process the rate continues, without a burst of more than a second.
    for (sent = Math.max(sent, due - options.perSecond); sent < due; sent += 1) {
      const request = start(sent).finally(() => open.delete(request));
      open.add(request);
    }
  }, TICK_MS);

  return {
    acknowledged,
    async stop() {
      clearInterval(timer);
      while (open.size > 0) await Promise.all(open);
      agent.destroy();
      latencies.sort((a, b) => a - b);
      return { acknowledged, refused, statuses, unanswered, retries, latencies, longestGapMs };
    },
  };
}

function post(
  agent: Agent,
  url: string,
  headers: Record<string, string>,
  body: string,
): Promise<{ status: number; answer: string }> {
  return new Promise((resolve, reject) => {
    const call = request(url, { agent, method: 'POST', headers }, (answer) => {
      text(answer).then((content) => resolve({ status: answer.statusCode ?? 0, answer: content }), reject);
    });
    call.on('error', reject);
    call.end(body);
  });
}

function isRefusedOrReset(error: unknown): boolean {
  return isNativeError(error) && 'code' in error && /^(ECONNREFUSED|ECONNRESET|EPIPE)$/.test(String(error.code));
}

/** The value below which that share of a sorted list lies; NaN of an empty one. */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}
