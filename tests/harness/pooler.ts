/** Settings by which the API and workers of a test reach a database. */
export interface TestDatabaseSettings {
  readonly DATABASE_URL: string;
  readonly DATABASE_PREPARED_STATEMENTS: string;
}

/**
 * Connects the API and workers of tests through PgBouncer if this run of the tests has one (`TEST_POOLER=pgbouncer`,
 * global-setup.mjs), to databases of the run's shared server. A test's own queries go directly to it.
 */
export function databaseSettings(databaseUrl: string): TestDatabaseSettings {
  const { TEST_POOLER_PORT: poolerPort, TEST_POSTGRES_URL: serverUrl = '' } = process.env;
  const url = new URL(databaseUrl);
  if (poolerPort === undefined || url.port !== new URL(serverUrl).port) {
    return { DATABASE_URL: databaseUrl, DATABASE_PREPARED_STATEMENTS: 'true' };
  }
  url.port = poolerPort;
  return { DATABASE_URL: url.href, DATABASE_PREPARED_STATEMENTS: process.env.TEST_POOLER_PREPARES ?? 'false' };
}
