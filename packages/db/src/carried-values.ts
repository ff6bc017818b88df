import { randomUUID } from 'node:crypto';
import type { PoolClient, QueryConfig } from 'pg';
import type { Prisma } from './generated/client.js';

type Queryable = Prisma.TransactionClient;

// Prisma writes the values of a statement that is not its own as JSON, reads that again, and keeps the last statements with their values, for
// a debug log that nobody asked for. Of hot or large statements it gets one text that stands for the values, which meet the statement again where
// the driver is handed it.

/** What nobody outside this process can guess: no value of a caller's is taken for one that stands for others. */
const PREFIX = `values ${randomUUID()} `;

/** The values of statements under way, by what stands for them. */
const carried = new Map<string, readonly unknown[]>();
let count = 0;

/** Like `$queryRaw`, with the values carried past Prisma: texts, numbers, booleans, null, bytes, and arrays of them. */
export function queryCarried<Rows>(db: Queryable, { text, values }: Prisma.Sql): Promise<Rows> {
  return carry(values, (standIn) => db.$queryRawUnsafe<Rows>(text, standIn));
}

/** Like `$executeRaw`, with the values carried past Prisma. @returns how many rows it changed. */
export function executeCarried(db: Queryable, { text, values }: Prisma.Sql): Promise<number> {
  return carry(values, (standIn) => db.$executeRawUnsafe(text, standIn));
}

async function carry<T>(values: readonly unknown[], run: (standIn: string) => PromiseLike<T>): Promise<T> {
  count += 1;
  const standIn = `${PREFIX}${count}`;
  carried.set(standIn, values);
  try {
    return await run(standIn);
  } finally {
    carried.delete(standIn);
  }
}

/** Has the statements of a connection meet their carried values again. */
export function meetCarriedValues(client: PoolClient): void {
  const query: unknown = Reflect.get(client, 'query');
  if (typeof query !== 'function') throw new TypeError('a connection without query');
  Object.assign(client, {
    query: (config: unknown, ...others: unknown[]): unknown => Reflect.apply(query, client, [met(config), ...others]),
  });
}

function met(config: unknown): unknown {
  if (!isQueryConfig(config) || config.values?.length !== 1) return config;
  const standIn: unknown = config.values[0];
  if (typeof standIn !== 'string' || !standIn.startsWith(PREFIX)) return config;
  const values = carried.get(standIn);
  // Whoever asked has been told that it failed; what stands for the values is none of them.
  if (!values) throw new Error('a statement came to its connection after it was given up');
  return { ...config, values };
}

function isQueryConfig(config: unknown): config is QueryConfig {
  return typeof config === 'object' && config !== null && 'values' in config && Array.isArray(config.values);
}
