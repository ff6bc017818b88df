import type { CredentialCircuit, CredentialRateLimit } from '@deckhand/contracts';
import { NodeError, type TrafficControl, type TrafficPermit, type TrafficRequest } from '@deckhand/engine';
import type { Logger } from '@deckhand/runtime';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from './connect.ts';
import { admitRequest, reportRequest, type TrafficCircuit, type TrafficQuery, type TrafficRate } from './traffic.ts';

/** Longest wait in the worker, in ms: during a longer one, the run rests, if its node can. */
const MAX_WAIT_IN_WORKER_MS = 5_000;
/** The same for a node that cannot, because it has sent requests already. */
const MAX_WAIT_WITHOUT_REST_MS = 60_000;

const PERIOD_MS = { second: 1_000, minute: 60_000 } as const;

/** Creates the limits of requests with credentials. They are shared by all workers, in Redis. */
export function createTrafficControl({ redis, logger }: { redis: Redis; logger: Logger }): TrafficControl {
  return {
    async admit(request) {
      const { limits, host, ticket, signal } = request;
      const { credentialId, rateLimit, circuit: ofCredential } = limits;
      const rate = rateLimit ? toRate(rateLimit, request) : undefined;
      const circuit = ofCredential ? toCircuit(ofCredential) : undefined;
      const query: TrafficQuery = { credentialId, host, ticket, rate, circuit };
      for (;;) {
        const verdict = await admitRequest(redis, query).catch((err: unknown) => {
          // Workers get no jobs without Redis either: only requests of runs that they hold are not limited.
          logger.warn({ err, credentialId }, 'requests are not limited while Redis is unavailable');
          return undefined;
        });
        if (!verdict) return UNLIMITED;
        if (verdict.kind === 'admitted') {
          const { waitedMs, probe } = verdict;
          return circuit ? reporting(query, circuit, { waitedMs, probe }) : { ...UNLIMITED, waitedMs };
        }
        const { kind, waitMs } = verdict;
        if (kind === 'open') throw circuitOpen(host, waitMs);
        const isShort = waitMs <= (request.mayRest ? MAX_WAIT_IN_WORKER_MS : MAX_WAIT_WITHOUT_REST_MS);
        if (kind === 'limited' || !isShort) throw rateLimited(request, waitMs, kind === 'waiting');
        await sleep(waitMs, undefined, { signal }).catch((error: unknown) => {
          signal.throwIfAborted();
          throw error;
        });
      }
    },
  };

  function reporting(
    query: TrafficQuery,
    circuit: TrafficCircuit,
    { waitedMs, probe }: { waitedMs: number; probe: string },
  ): TrafficPermit {
    return {
      waitedMs,
      report: (outcome) =>
        reportRequest(redis, query, circuit, { outcome, probe }).catch((err: unknown) => {
          logger.warn({ err, credentialId: query.credentialId }, 'failed to report a request to its circuit');
        }),
    };
  }
}

const UNLIMITED: TrafficPermit = { waitedMs: 0, report: () => Promise.resolve() };

function toRate(
  { requests, per, burst = 1, maxWaitSeconds = 3_600 }: CredentialRateLimit,
  { mayRest }: TrafficRequest,
): TrafficRate {
  const maxWaitMs = maxWaitSeconds * 1_000;
  return {
    intervalMs: PERIOD_MS[per] / requests,
    burst,
    maxWaitMs: mayRest ? maxWaitMs : Math.min(maxWaitMs, MAX_WAIT_WITHOUT_REST_MS),
  };
}

function toCircuit(circuit: CredentialCircuit): TrafficCircuit {
  const { failurePercent = 0, windowSeconds = 60, minRequests = 10, openSeconds, probes = 1 } = circuit;
  return {
    failuresInRow: circuit.failuresInRow ?? (failurePercent === 0 ? 5 : 0),
    failurePercent,
    windowMs: windowSeconds * 1_000,
    minRequests,
    openMs: openSeconds * 1_000,
    probes,
  };
}

function circuitOpen(host: string, waitMs: number): NodeError {
  const message = `requests to ${host} fail: the circuit of the credential is open for another ${seconds(waitMs)} s`;
  return new NodeError('CIRCUIT_OPEN', message, { minRetryDelayMs: waitMs });
}

function rateLimited({ host }: TrafficRequest, waitMs: number, hasPlace: boolean): NodeError {
  const message = `the rate limit of the credential for ${host} allows the request in ${seconds(waitMs)} s`;
  return new NodeError('RATE_LIMITED', message, hasPlace ? { retryAfterMs: waitMs } : { minRetryDelayMs: waitMs });
}

function seconds(ms: number): number {
  return Math.ceil(ms / 1_000);
}
