import type { Person } from '@deckhand/contracts';
import { Prisma, type Queryable } from '../client.js';

/** Returns a row of users as a `Person`, as JSON; null if there is no such row. */
export function personJson(user: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`CASE WHEN ${user}.id IS NOT NULL
    THEN json_build_object('id', ${user}.id, 'name', ${user}.name, 'email', ${user}.email) END`;
}

/** Returns people by their ids, without those who were deleted. */
export async function readPeople(
  db: Queryable,
  ids: readonly (string | null)[],
): Promise<ReadonlyMap<string | null, Person>> {
  const known = [...new Set(ids.flatMap((id) => id ?? []))];
  if (known.length === 0) return new Map();
  const rows = await db.user.findMany({ where: { id: { in: known } }, select: { id: true, name: true, email: true } });
  return new Map(rows.map((person) => [person.id, person]));
}
