/** Prisma's and PostgreSQL's words for "not reachable now": connection refused, lost, timed out, starting or stopping. */
const UNAVAILABLE =
  /P1001|P1002|P1008|P1017|P2024|P2028|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|57P0[123]|53300|08\d\d\d|DatabaseNotReachable|ConnectionClosed|SocketTimeout|Connection terminated|timeout exceeded when trying to connect|Server has closed the connection/;

/**
 * True when the error says that the database could not be reached or went away. What was asked for may or may not have
 * happened.
 */
export function isDatabaseUnavailable(error: unknown, depth = 0): boolean {
  if (!(error instanceof Error) || depth > 4) return false;
  const code = 'code' in error ? String(error.code) : '';
  const originalCode = 'originalCode' in error ? String(error.originalCode) : '';
  if (UNAVAILABLE.test(code) || UNAVAILABLE.test(originalCode) || UNAVAILABLE.test(error.message)) return true;
  return isDatabaseUnavailable(error.cause, depth + 1);
}
