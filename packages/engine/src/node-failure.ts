import type { JsonObject } from '@deckhand/contracts';

/** The failure of a node, as a value and not an exception, so that it can be recorded, retried and branched on. */
export interface NodeFailure {
  readonly message: string;
  /** Stable, upper case: HTTP_STATUS, NODE_TIMEOUT ... */
  readonly code: string;
  /** Whether another attempt could succeed. */
  readonly isRetryable: boolean;
  /**
   * Another attempt is made after this time, in ms, regardless of the node's `retry`, because this one was only too
   * early. Undefined for every other failure.
   */
  readonly retryAfterMs?: number | undefined;
  /**
   * Minimum delay before another attempt that the node's `retry` allows, in ms: what the other side asked for.
   * Undefined if it did not.
   */
  readonly minRetryDelayMs?: number | undefined;
  /** Members of `error` in the output of a node that continues, or of a try: the response that was the failure. */
  readonly details?: JsonObject | undefined;
}
