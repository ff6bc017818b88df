import { setTimeout as sleep } from 'node:timers/promises';
import { isNativeError } from 'node:util/types';
import { isJsonObject } from '@deckhand/contracts';

/** Codes of Prisma, Node and PostgreSQL for "not reachable now": refused, lost, timed out, starting or stopping. */
const UNAVAILABLE_CODE =
  /^(P1001|P1002|P1008|P1017|P2024|P2028|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|57P0[123]|53300|08\w{3})$/;

/** The driver adapter's words for the same, which a raw query has in place of a code. */
const UNAVAILABLE_KIND = /^(DatabaseNotReachable|ConnectionClosed|SocketTimeout|TooManyConnections)$/;

/** What the driver says where it gives no code at all. */
const UNAVAILABLE_MESSAGE =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Server has closed the connection)/;

/**
 * True when the error says that the database could not be reached or went away. What was asked for may or may not have
 * happened.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!isNativeError(error)) return false;
  if ('code' in error && UNAVAILABLE_CODE.test(String(error.code))) return true;
  const adapterCause = adapterCauseOf(error);
  if (adapterCause) {
    return UNAVAILABLE_KIND.test(String(adapterCause.kind)) || UNAVAILABLE_CODE.test(String(adapterCause.originalCode));
  }
  return UNAVAILABLE_MESSAGE.test(error.message) || isDatabaseUnavailable(error.cause);
}

/** Prisma keeps what the driver adapter reported beside its own code. */
function adapterCauseOf(error: Error): { readonly kind?: unknown; readonly originalCode?: unknown } | undefined {
  const meta: unknown = 'meta' in error ? error.meta : undefined;
  const adapterError: unknown = isJsonObject(meta) ? meta.driverAdapterError : undefined;
  const cause: unknown = isNativeError(adapterError) ? adapterError.cause : undefined;
  return isJsonObject(cause) ? cause : undefined;
}

/** How long after a lost connection a write is tried again, in ms. */
const RETRY_DELAY_MS = 100;

/** Tries once more, in a way that fits a first try that may have landed, when the database went away. */
export async function retryOnce<T>(first: () => Promise<T>, again: () => Promise<T>): Promise<T> {
  try {
    return await first();
  } catch (error) {
    if (!isDatabaseUnavailable(error)) throw error;
  }
  await sleep(RETRY_DELAY_MS);
  return again();
}
