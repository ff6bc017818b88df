/**
 * Returns the database to migrate: DIRECT_DATABASE_URL where it is set, since a pooler that shares sessions cannot
 * carry the lock of a migrating process; else DATABASE_URL. An empty variable counts as not set.
 */
export function migrationUrl(env: Readonly<Record<string, string | undefined>>): string | undefined {
  return [env.DIRECT_DATABASE_URL, env.DATABASE_URL].find((url) => url !== undefined && url !== '');
}
