import pg from 'pg';
import { restoreParameters } from './raw-parameters.ts';

/** pg's error for a statement that got no response within `query_timeout`. */
const NO_RESPONSE = 'Query read timeout';

/**
 * SQLSTATEs that say that this session knows prepared statements otherwise than the client does, or has a plan from
 * before a migration.
 */
const STALE_STATEMENT = /^(0A000|26000|42P05)$/;

/**
 * A connection to PostgreSQL, for pg's pool: `new Pool({ Client: Connection })`.
 * - It replaces the placeholder token in a statement with its real parameters (raw-parameters.ts).
 * - It closes itself after an error that it would meet again. The pool does so by itself, but not within a transaction.
 */
export class Connection extends pg.Client {
  // One signature for all of pg's overloads. Callers see pg's own, because the pool returns its own type.
  override query(config: unknown, ...others: unknown[]): never;
  override query(config: unknown, ...others: unknown[]): unknown {
    // oxlint-disable-next-line typescript/unbound-method -- it is applied to this connection
    const result: unknown = Reflect.apply(super.query, this, [restoreParameters(config), ...others]);
    if (result instanceof Promise) {
      result.catch((error: unknown) => {
        if (isLasting(error)) void this.end();
      });
    }
    return result;
  }
}

/** Returns true if the next statement on the connection would fail as well, or wait behind one without a response. */
function isLasting(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.message === NO_RESPONSE || ('code' in error && STALE_STATEMENT.test(String(error.code)));
}
