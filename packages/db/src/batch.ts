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

/*
 * Conditions for runs by their ids, for statements that are planned once. Tables of runs have partitions by id. If the
 * planner saw an id, it would plan each call anew for the one partition, which takes longer than the statement. So ids
 * pass through `unplanned_id`: the plan has all partitions, and those of other ids are left out when it is executed.
 * PostgreSQL does that for comparisons with one value, not for `= ANY`.
 */

/** Returns the condition, as SQL, that a column is the id of a run. */
export function isRun(column: Prisma.Sql, id: string): Prisma.Sql {
  return Prisma.sql`${column} = unplanned_id(${id}::uuid)`;
}

/** Returns the condition, as SQL, that a column is one of the ids of runs. */
export function isOneOfRuns(column: Prisma.Sql, ids: readonly string[]): Prisma.Sql {
  const [only, ...others] = ids;
  if (only !== undefined && others.length === 0) return isRun(column, only);
  // From a subquery, so that the planner sees neither the ids nor how many they are.
  return Prisma.sql`(${column} = ANY ((SELECT ${[...ids]}::uuid[])::uuid[]) AND ${isInPartitionsOf(column, ids)})`;
}

/**
 * Returns a condition, as SQL, that holds for the ids of these runs and for those between them. It only leaves out
 * partitions: without another condition that compares the column with each id, all runs between them would be read.
 */
export function isInPartitionsOf(column: Prisma.Sql, ids: readonly string[]): Prisma.Sql {
  const sorted = ids.map((id) => id.toLowerCase()).sort();
  const [first, last] = [sorted[0], sorted.at(-1)];
  if (first === undefined || last === undefined) return Prisma.sql`false`;
  return Prisma.sql`${column} BETWEEN unplanned_id(${first}::uuid) AND unplanned_id(${last}::uuid)`;
}
