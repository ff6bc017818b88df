import { NodeError } from '@deckhand/engine';
import { types } from 'node:util';
import pg from 'pg';

/**
 * SQLSTATEs (PostgreSQL, appendix A) of temporary errors: connections, serialization failures, deadlocks, a server that
 * is short of resources or shutting down, locks that were not available.
 */
const RETRYABLE = /^(08|53|57P|40001|40P01|55P03)/;

/** Maximum length of a server's message that a failure quotes, in characters. */
const MAX_MESSAGE = 2_000;

/** Returns the failure of a query, with the SQLSTATE if the server sent one. */
export function toNodeError(error: unknown): NodeError {
  if (error instanceof NodeError) return error;
  if (error instanceof pg.DatabaseError) {
    const { code = '', message, detail, position } = error;
    const parts = [message, detail, position && `at character ${position}`].filter(Boolean).join('; ');
    const isRetryable = RETRYABLE.test(code);
    return new NodeError('POSTGRES_FAILED', `${code}: ${parts}`.slice(0, MAX_MESSAGE), { isRetryable, cause: error });
  }
  const reason = types.isNativeError(error) ? error.message || error.name : String(error);
  return new NodeError('POSTGRES_UNREACHABLE', reason, { cause: error });
}
