import type { GuardedClient } from './guarded-client.ts';
import { type ArrayType, builtInArray, isOwnType } from './value-types.ts';

/** What the server may send of the types that are asked for, in bytes. */
const MAX_BYTES = 1_048_576;
/** A domain may be one over another, any number of times. */
const MAX_ROUNDS = 16;

/**
 * Types of a database's own: arrays of enums, domains, composites and of types of extensions. A domain counts as the
 * type that it is one over.
 */
export interface TypeCatalogue {
  /** Returns an array type; undefined for other types. */
  array(oid: number): ArrayType | undefined;
  /** Returns the type that a type is a domain over, or the type itself. */
  base(oid: number): number;
}

/** A row of pg_type: the type that it is a domain over, and that of its elements if it is an array, or 0. */
interface OwnType {
  readonly base: number;
  readonly element: number;
  readonly separator: string;
}

/** Reads the types of these OIDs from the database; those of PostgreSQL itself are known. */
export async function readTypes(client: GuardedClient, oids: readonly number[]): Promise<TypeCatalogue> {
  const own = new Map<number, OwnType>();
  let wanted = new Set(oids.filter(isOwnType));
  for (let rounds = 0; wanted.size > 0 && rounds < MAX_ROUNDS; rounds += 1) {
    client.expect({ rows: wanted.size, bytes: MAX_BYTES });
    const { rows } = await client.query<[number, number, number, string]>({
      text: READ_TYPES,
      values: [[...wanted]],
      rowMode: 'array',
    });
    for (const [oid, base, element, separator] of rows) own.set(oid, { base, element, separator });
    wanted = new Set(
      rows.flatMap(([, base, element]) => [base, element]).filter((oid) => isOwnType(oid) && !own.has(oid)),
    );
  }
  const base = (oid: number): number => {
    let found = oid;
    for (let steps = 0; steps < MAX_ROUNDS; steps += 1) {
      const next = own.get(found)?.base ?? 0;
      if (next === 0) break;
      found = next;
    }
    return found;
  };
  return {
    base,
    array(oid) {
      const known = builtInArray(base(oid));
      if (known) return known;
      const { element, separator } = own.get(base(oid)) ?? { element: 0, separator: '' };
      return element === 0 ? undefined : { element: base(element), separator };
    },
  };
}

/** Arrays are what pg_type says of them: types with elements, of a varying length, in the category of arrays. */
const READ_TYPES = `
  SELECT oid, typbasetype,
         CASE WHEN typcategory = 'A' AND typlen = -1 AND typbasetype = 0 THEN typelem ELSE 0 END, typdelim
  FROM pg_catalog.pg_type WHERE oid = ANY($1::pg_catalog.oid[])`;
