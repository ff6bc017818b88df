import { createDatabase, type Database } from '@deckhand/db';
import { stopLater } from './cleanup.ts';
import { createRandom, shuffled } from './random.ts';

const CLIENTS = 12;

/** What one client chooses by. */
export interface Chance {
  /** A whole number from 0. */
  below(count: number): number;
  shuffle<T>(items: readonly T[]): T[];
  /** One of them. @throws when there is none. */
  one<T>(items: readonly T[]): T;
}

/** What clients do at once, by name. */
export type Operations = Readonly<Record<string, (chance: Chance) => Promise<unknown>>>;

/** Clients that do a fixed number of things to the same rows at once, each on a connection of its own. */
export interface Stress {
  /** Their database. Its connections check for a deadlock after 5 ms of waiting. */
  readonly db: Database;
  /**
   * Runs the operations, each client in its own order, and closes the database. @param isExpected errors for rows that
   * were deleted or changed in the meantime. @returns all other errors, with their operations, and the number of
   * deadlocks that PostgreSQL has counted.
   */
  run(
    operations: Operations,
    isExpected: (error: unknown) => boolean,
  ): Promise<{ errors: string[]; deadlocks: number | undefined }>;
}

/** Prepares clients for a database of a test's own, whose URL has a superuser. @param steps of each client. */
export function createStress(url: string, steps: number): Stress {
  const impatient = new URL(url);
  impatient.searchParams.set('options', '-c deadlock_timeout=5');
  const db = createDatabase({ url: impatient.href, poolSize: CLIENTS });
  stopLater({ stop: () => db.$disconnect() });
  const random = createRandom();

  async function act(operations: Operations, isExpected: (error: unknown) => boolean): Promise<string[]> {
    const chance = createChance(createRandom(random() * 2 ** 32));
    const errors: string[] = [];
    for (let step = 0; step < steps; step += 1) {
      const [name, operation] = chance.one(Object.entries(operations));
      try {
        await operation(chance);
      } catch (error) {
        if (!isExpected(error)) errors.push(`${name}: ${String(error)}`);
      }
    }
    return errors;
  }

  return {
    db,
    async run(operations, isExpected) {
      const errors = await Promise.all(Array.from({ length: CLIENTS }, () => act(operations, isExpected)));
      // A session reports what it met when it ends at the latest.
      await db.$disconnect();
      const observer = createDatabase({ url, poolSize: 1 });
      const [row] = await observer.$queryRaw<{ deadlocks: number }[]>`
        SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()`;
      await observer.$disconnect();
      return { errors: errors.flat(), deadlocks: row?.deadlocks };
    },
  };
}

function createChance(random: () => number): Chance {
  const below = (count: number): number => Math.floor(random() * count);
  return {
    below,
    shuffle: (items) => shuffled(items, random),
    one(items) {
      const item = items[below(items.length)];
      if (item === undefined) throw new Error('there is nothing to choose from');
      return item;
    },
  };
}
