import Type, { type Static } from 'typebox';

/** Settings of the connection to PostgreSQL, which all processes share. */
export const DatabaseSettings = {
  DATABASE_URL: Type.String({ pattern: '^postgres(ql)?://' }),
  /**
   * Must be false behind a pooler that does not support prepared statements, such as PgBouncer before 1.21.
   */
  DATABASE_PREPARED_STATEMENTS: Type.Boolean({ default: true }),
};

export type DatabaseSettings = Static<ReturnType<typeof Type.Object<typeof DatabaseSettings>>>;
