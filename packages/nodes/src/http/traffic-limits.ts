import {
  type HttpRequest,
  type HttpResponse,
  NodeError,
  type NodeServices,
  type TrafficLimits,
  type TrafficRequest,
} from '@deckhand/engine';

/** A host that has not responded for this long, in ms, counts as failed when the node's time is up. */
const FAIR_MS = 1_000;

/** What the limits of a request depend on. */
interface Traffic extends Pick<TrafficRequest, 'ticket' | 'mayRest'> {
  readonly services: Pick<NodeServices, 'http' | 'traffic'>;
  /** Undefined without any. */
  readonly limits: TrafficLimits | undefined;
  /** A steady clock, in ms. */
  readonly now?: () => number;
}

/**
 * Sends a request within the limits of its credential, and reports what became of it.
 * @returns the response, and with a rate limit, how long the request waited.
 * @throws NodeError RATE_LIMITED, CIRCUIT_OPEN, and those of the HTTP client.
 */
export async function sendWithinLimits(
  request: HttpRequest,
  { services: { http, traffic }, limits, ticket, mayRest, now = () => performance.now() }: Traffic,
): Promise<{ answer: HttpResponse; waitedMs: number | undefined }> {
  if (!limits) return { answer: await http.request(request), waitedMs: undefined };
  const { signal, url } = request;
  const permit = await traffic.admit({ limits, host: hostOf(url), ticket, mayRest, signal });
  const sentAt = now();
  try {
    const answer = await http.request(request);
    await permit.report(answer.status >= 500 ? 'failure' : 'success');
    return { answer, waitedMs: limits.rateLimit ? permit.waitedMs : undefined };
  } catch (error) {
    const ranMs = now() - sentAt;
    await permit.report(isFailureOfHost(error, { signal, ranMs }) ? 'failure' : 'unknown');
    throw error;
  }
}

/** The host that limits count by, with its port. A dot at the end of a name changes nothing. */
function hostOf(url: string): string {
  return new URL(url).host.replace(/\.(?=:|$)/, '');
}

/**
 * Whether the host gave no response: not if the run was stopped meanwhile, the request or response was refused, or the
 * node's time was up soon after the request had waited for the rate.
 */
function isFailureOfHost(error: unknown, { signal, ranMs }: { signal: AbortSignal; ranMs: number }): boolean {
  if (signal.aborted) {
    const reason: unknown = signal.reason;
    return reason instanceof NodeError && reason.code === 'NODE_TIMEOUT' && ranMs >= FAIR_MS;
  }
  return error instanceof NodeError && error.code === 'HTTP_REQUEST_FAILED' && error.isRetryable;
}
