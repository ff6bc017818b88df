import { randomUUID } from 'node:crypto';
import type { QueryConfig } from 'pg';
import { writeLongTexts } from './array-literal.js';
import type { Prisma } from './generated/client.js';

type Queryable = Prisma.TransactionClient;

// Prisma writes the parameters of a raw statement as JSON, reads that again, and keeps the last statements with their
// parameters for a debug log. Hot and large statements give it one short token instead. The connection replaces the
// token with the real parameters (connection.ts).

/** Cannot be guessed outside of this process, so that no value of a caller is taken for a token. */
const PREFIX = `values ${randomUUID()} `;

/** The values of statements in progress, by token. */
const carried = new Map<string, readonly unknown[]>();
let count = 0;

/** Like `$queryRaw`, with the values going past Prisma: texts, numbers, booleans, null, bytes, and arrays of them. */
export function queryCarried<Rows>(db: Queryable, { text, values }: Prisma.Sql): Promise<Rows> {
  return carry(values, (token) => db.$queryRawUnsafe<Rows>(text, token));
}

/** Like `$executeRaw`, with the values carried past Prisma. @returns how many rows it changed. */
export function executeCarried(db: Queryable, { text, values }: Prisma.Sql): Promise<number> {
  return carry(values, (token) => db.$executeRawUnsafe(text, token));
}

async function carry<T>(values: readonly unknown[], run: (token: string) => PromiseLike<T>): Promise<T> {
  count += 1;
  const token = `${PREFIX}${count}`;
  carried.set(token, values);
  try {
    return await run(token);
  } finally {
    carried.delete(token);
  }
}

/**
 * Replaces the placeholder token in a statement with its real parameters.
 * @param config what pg's `query` was given; anything else than a statement with a token is returned as it is.
 * @throws for a token whose caller was told already that the statement failed.
 */
export function withRealValues(config: unknown): unknown {
  if (!isQueryConfig(config) || config.values?.length !== 1) return config;
  const token: unknown = config.values[0];
  if (typeof token !== 'string' || !token.startsWith(PREFIX)) return config;
  const values = carried.get(token);
  if (!values) throw new Error('a statement came to its connection after it was given up');
  return { ...config, values: values.map(writeLongTexts) };
}

function isQueryConfig(config: unknown): config is QueryConfig {
  return typeof config === 'object' && config !== null && 'values' in config && Array.isArray(config.values);
}
