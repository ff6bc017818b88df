import { Prisma } from './client.js';

// A statement that is planned anew for each call costs PostgreSQL more than running it. It keeps a plan for any
// parameters only if it thinks that one no dearer, and of an array that it does not know it expects ten members. So a
// batch of one names its member itself.

/** Whether a column is one of the values of a batch. @param type of a value in PostgreSQL. */
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
 * The rows of a batch, to be selected from; after the columns given comes the row's position, from 1. At least one row,
 * in columns of one length.
 */
export function batchRows(columns: readonly BatchColumn[]): Prisma.Sql {
  if (columns.every(({ values }) => values.length === 1)) {
    const members = columns.map(({ type, values: [value] }) => Prisma.sql`${value}::${Prisma.raw(type)}`);
    return Prisma.sql`(VALUES (${Prisma.join(members)}, 1))`;
  }
  const arrays = columns.map(({ type, values }) => Prisma.sql`${[...values]}::${Prisma.raw(type)}[]`);
  return Prisma.sql`unnest(${Prisma.join(arrays)}) WITH ORDINALITY`;
}
