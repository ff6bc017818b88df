import {
  type HttpRequest,
  type HttpResponse,
  NodeError,
  type NodeServices,
  type TrafficLimits,
  type TrafficRequest,
} from '@deckhand/engine';

/** What the limits of a request depend on. */
interface Traffic extends Pick<TrafficRequest, 'ticket' | 'mayRest'> {
  readonly services: Pick<NodeServices, 'http' | 'traffic'>;
  /** Undefined without any. */
  readonly limits: TrafficLimits | undefined;
}

/**
 * Sends a request within the limits of its credential, and reports what became of it.
 * @returns the response, and with a rate limit, how long the request waited.
 * @throws NodeError RATE_LIMITED, CIRCUIT_OPEN, and those of the HTTP client.
 */
export async function sendWithinLimits(
  request: HttpRequest,
  { services: { http, traffic }, limits, ticket, mayRest }: Traffic,
): Promise<{ answer: HttpResponse; waitedMs: number | undefined }> {
  if (!limits) return { answer: await http.request(request), waitedMs: undefined };
  const { signal, url } = request;
  const permit = await traffic.admit({ limits, host: new URL(url).host, ticket, mayRest, signal });
  try {
    const answer = await http.request(request);
    await permit.report(answer.status >= 500 ? 'failure' : 'success');
    return { answer, waitedMs: limits.rateLimit ? permit.waitedMs : undefined };
  } catch (error) {
    await permit.report(isFailureOfHost(error, signal) ? 'failure' : 'unknown');
    throw error;
  }
}

/** Whether the host gave no response: not if the run was stopped meanwhile, or the request or response was refused. */
function isFailureOfHost(error: unknown, { aborted, reason }: AbortSignal): boolean {
  if (aborted) return reason instanceof NodeError && reason.code === 'NODE_TIMEOUT';
  return error instanceof NodeError && error.code === 'HTTP_REQUEST_FAILED' && error.isRetryable;
}
