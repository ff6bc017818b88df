import { Prisma } from './client.ts';

// PostgreSQL spends more on planning such a statement for each call than on running it. It keeps a generic plan only if
// it expects that plan to be no more expensive, and it expects ten elements in an array parameter. So a batch of one
// names its element directly.

/**
 * Returns the condition, as SQL, that a column has one of the values of a batch. @param type of a value in PostgreSQL.
 */
export function isOneOf(column: Prisma.Sql, values: readonly string[], type: 'uuid' | 'text'): Prisma.Sql {
  const member = Prisma.raw(type);
  const [only, ...others] = values;
  if (only !== undefined && others.length === 0) return Prisma.sql`${column} = ${only}::${member}`;
  return Prisma.sql`${column} = ANY (${[...values]}::${member}[])`;
}

/** A column of a batch's rows: its type in PostgreSQL, and its value for each row. */
export interface BatchColumn {
  readonly type: 'uuid' | 'boolean' | 'text';
  readonly values: readonly (string | boolean | null)[];
}

/**
 * Returns the rows of a batch, as SQL to select from. After the given columns comes the position of the row, from 1.
 * Columns have equal length. The planner sees neither the values nor their number: with either, it would find a plan
 * for each call cheaper than one for all, and planning it takes longer.
 */
export function batchRows(columns: readonly BatchColumn[]): Prisma.Sql {
  const arrays = columns.map(({ type, values }) => Prisma.sql`(SELECT ${[...values]}::${Prisma.raw(type)}[])`);
  return Prisma.sql`unnest(${Prisma.join(arrays)}) WITH ORDINALITY`;
}
