import { type Database, Prisma } from '@deckhand/db';

interface Plan {
  readonly 'Planning Time': number;
  readonly 'Execution Time': number;
}

/**
 * A view of the database that explains every raw query before it is run.
 * @returns the view, and the time that the server took for all of them so far, in ms (EXPLAIN ANALYZE, planning and
 * execution).
 */
export function explaining(db: Database): { db: Database; serverMs: () => number; statements: () => number } {
  let ms = 0;
  let statements = 0;
  async function explained(query: Prisma.Sql): Promise<unknown> {
    const [row] = await db.$queryRaw<{ 'QUERY PLAN': readonly Plan[] }[]>(
      Prisma.sql`EXPLAIN (ANALYZE, FORMAT JSON) ${query}`,
    );
    const plan = row?.['QUERY PLAN'][0];
    if (plan === undefined) throw new Error('no plan');
    ms += plan['Planning Time'] + plan['Execution Time'];
    statements += 1;
    const rows: unknown[] = await db.$queryRaw(query);
    return rows;
  }
  const view = new Proxy(db, {
    get(target, name): unknown {
      if (name !== '$queryRaw') return Reflect.get(target, name, target);
      return (first: Prisma.Sql | TemplateStringsArray, ...values: unknown[]) =>
        explained('raw' in first ? Prisma.sql([...first], ...values) : first);
    },
  });
  return { db: view, serverMs: () => ms, statements: () => statements };
}
