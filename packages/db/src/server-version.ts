import { type Database, Prisma } from './client.ts';

/**
 * Versions of PostgreSQL in which a statement on partitioned tables may read freed memory when it waits for a row that
 * another one changes. That ends all sessions of the server. https://github.com/postgres/postgres/commit/1b5dd3a
 */
const FAULTY = { from: 180_000, fixedIn: 180_006 } as const;

/** Whether a server has that fault. @param version its `server_version_num`: 180004 for 18.4. */
export function isFaultyServer(version: number): boolean {
  return version >= FAULTY.from && version < FAULTY.fixedIn;
}

/** Reports, when a process starts, that the server has a version that may end all of its sessions. */
export async function reportFaultyServer(
  db: Database,
  reporter: { warn(details: object, message: string): void },
): Promise<void> {
  try {
    const [row] = await db.$queryRaw<{ number: number; name: string }[]>(Prisma.sql`
      SELECT current_setting('server_version_num')::int AS number, current_setting('server_version') AS name`);
    if (row === undefined || !isFaultyServer(row.number)) return;
    reporter.warn(
      { version: row.name },
      'this version of PostgreSQL may crash under load, with all of its sessions: use 17, or 18.6 or later',
    );
  } catch (err) {
    reporter.warn({ err }, 'the version of PostgreSQL could not be read');
  }
}
