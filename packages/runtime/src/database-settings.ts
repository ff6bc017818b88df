import Type, { type Static } from 'typebox';

/** Members of the environment by which every process reaches PostgreSQL. */
export const DatabaseSettings = {
  DATABASE_URL: Type.String({ pattern: '^postgres(ql)?://' }),
  /**
   * False behind a pooler that cannot keep the prepared statements of its clients apart, such as PgBouncer before 1.21.
   */
  DATABASE_PREPARED_STATEMENTS: Type.Boolean({ default: true }),
};

export type DatabaseSettings = Static<ReturnType<typeof Type.Object<typeof DatabaseSettings>>>;
