import { randomUUID } from 'node:crypto';
import type { QueryConfig } from 'pg';
import { writeLongTexts } from './array-literal.ts';
import type { Prisma } from './generated/client.ts';

type Queryable = Prisma.TransactionClient;

// Prisma serializes the parameters of a raw statement to JSON, parses that again, and keeps the last statements with
// their parameters for a debug log. Hot and large statements pass it one short token instead. The connection replaces
// the token with the real parameters (connection.ts).

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
export function restoreParameters(config: unknown): unknown {
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
