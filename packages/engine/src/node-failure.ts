/** Why a node failed: a value, not an exception, so that it can be recorded, retried and branched on. */
export interface NodeFailure {
  readonly message: string;
  /** Stable, upper case: HTTP_STATUS, NODE_TIMEOUT ... */
  readonly code: string;
  /** Whether another attempt could end differently. */
  readonly isRetryable: boolean;
  /**
   * Another attempt is made after this time, in ms, whatever the node's `retry` says: it was only too early. Undefined
   * for every other failure.
   */
  readonly retryAfterMs?: number | undefined;
}
