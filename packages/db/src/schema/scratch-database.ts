import { randomUUID } from 'node:crypto';
import pg from 'pg';

/**
 * Calls a function with an empty database on the server of `databaseUrl`, and drops the database afterwards in any
 * case. The URL's user must be allowed to create databases.
 */
export async function withScratchDatabase<T>(databaseUrl: string, use: (scratchUrl: string) => Promise<T>): Promise<T> {
  const name = `scratch_${randomUUID().replaceAll('-', '')}`;
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(`CREATE DATABASE ${name}`);
    try {
      const url = new URL(databaseUrl);
      url.pathname = `/${name}`;
      return await use(url.href);
    } finally {
      await client.query(`DROP DATABASE ${name} WITH (FORCE)`);
    }
  } finally {
    await client.end();
  }
}
