import pg, { type QueryConfig } from 'pg';
import { randomUUID } from 'node:crypto';
import type { Prisma } from './generated/client.ts';

/*
 * The way past Prisma for the parameters of statements that may be large (docs/decisions/0012). Prisma serializes the
 * parameters of a raw statement to JSON, parses that again, and keeps the last statements with their parameters for a
 * debug log. These statements pass it one short token instead, and the connection replaces the token with the real
 * parameters.
 */

type Queryable = Prisma.TransactionClient;

/** Cannot be guessed outside of this process, so no value of a caller is taken for a token. */
const TOKEN_PREFIX = `values ${randomUUID()} `;

/** Parameters of the statements in progress, by token. */
const parametersByToken = new Map<string, readonly unknown[]>();
let tokenCount = 0;

/**
 * Like `$queryRaw`, but Prisma does not see the parameters, which are texts, numbers, booleans, null, bytes, and arrays
 * of them.
 */
export function queryWithRawParameters<Rows>(db: Queryable, { text, values }: Prisma.Sql): Promise<Rows> {
  return withToken(values, (token) => db.$queryRawUnsafe<Rows>(text, token));
}

/** Like `$executeRaw`, but Prisma does not see the parameters. @returns the number of rows changed. */
export function executeWithRawParameters(db: Queryable, { text, values }: Prisma.Sql): Promise<number> {
  return withToken(values, (token) => db.$executeRawUnsafe(text, token));
}

async function withToken<T>(values: readonly unknown[], run: (token: string) => PromiseLike<T>): Promise<T> {
  tokenCount += 1;
  const token = `${TOKEN_PREFIX}${tokenCount}`;
  parametersByToken.set(token, values);
  try {
    return await run(token);
  } finally {
    parametersByToken.delete(token);
  }
}

/**
 * Replaces the token in a statement with its real parameters.
 * @param config the argument of pg's `query`. Anything but a statement with a token is returned as it is.
 * @throws if the caller of the statement was already told that it failed.
 */
function restoreParameters(config: unknown): unknown {
  if (!isQueryConfig(config) || config.values?.length !== 1) return config;
  const token: unknown = config.values[0];
  if (typeof token !== 'string' || !token.startsWith(TOKEN_PREFIX)) return config;
  const values = parametersByToken.get(token);
  if (!values) throw new Error('the statement reached its connection after it had failed for its caller');
  return { ...config, values: values.map(writeLongTexts) };
}

function isQueryConfig(config: unknown): config is QueryConfig {
  return typeof config === 'object' && config !== null && 'values' in config && Array.isArray(config.values);
}

/** pg's error for a statement that got no response within `query_timeout`. */
const NO_RESPONSE = 'Query read timeout';

/**
 * SQLSTATEs that say that this session knows prepared statements otherwise than the client does, or has a plan from
 * before a migration.
 */
const STALE_STATEMENT = /^(0A000|26000|42P05)$/;

/**
 * A connection to PostgreSQL, for pg's pool: `new Pool({ Client: Connection })`.
 * - It replaces the placeholder token in a statement with its real parameters.
 * - It closes itself after an error that it would meet again. The pool does so by itself, but not within a transaction.
 * - It does not end the process if it breaks while nothing listens: between the pool and Prisma's transaction. The next
 *   statement fails.
 */
export class Connection extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config);
    this.on('error', () => undefined);
  }

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

/** Shorter texts, in characters, are cheap however pg escapes them. */
const LONG_CHARS = 16_384;

/** Characters that JSON escapes and array literals do not. */
// oxlint-disable-next-line no-control-regex -- JSON escapes control characters, array literals do not
const ESCAPED_BY_JSON_ALONE = /[\u0000-\u001f\ud800-\udfff]/;

/**
 * Writes a parameter of a statement as an array literal that PostgreSQL parses. pg escapes the texts of an array by
 * regular expressions, which blocks the event loop for 1.5 s for ten megabytes of quotes; the escaping of JSON takes 40
 * ms.
 * @param value any parameter.
 * @returns an array literal for a list with a long text; any other value unchanged.
 */
export function writeLongTexts(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  const list: readonly unknown[] = value;
  if (!list.some((item) => typeof item === 'string' && item.length >= LONG_CHARS)) return value;
  return list.every(isPlain) ? `{${list.map(quote).join()}}` : value;
}

type Plain = string | number | boolean | null | undefined;

function isPlain(item: unknown): item is Plain {
  return item === null || item === undefined || ['string', 'number', 'boolean'].includes(typeof item);
}

/** An element of an array literal (PostgreSQL, 8.15.6): in quotes, with quotes and backslashes escaped. */
function quote(item: Plain): string {
  if (item === null || item === undefined) return 'NULL';
  const text = String(item);
  if (!ESCAPED_BY_JSON_ALONE.test(text)) return JSON.stringify(text);
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}
