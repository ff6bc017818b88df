import { describe, expect, it } from '@jest/globals';
import { splitStatements } from './apply-migration.ts';

describe('splitStatements', () => {
  it('splits at semicolons, and omits comments and blanks', () => {
    const script = `-- deckhand: no-transaction
      -- A comment; with a semicolon.
      CREATE INDEX CONCURRENTLY IF NOT EXISTS a ON t (x); /* another; */

      DROP INDEX CONCURRENTLY IF EXISTS b;;`;
    expect(splitStatements(script)).toEqual([
      'CREATE INDEX CONCURRENTLY IF NOT EXISTS a ON t (x)',
      'DROP INDEX CONCURRENTLY IF EXISTS b',
    ]);
  });

  it('keeps semicolons in literals, names and dollar-quoted bodies', () => {
    const statements = [
      `INSERT INTO t VALUES ('it''s; -- no comment')`,
      'ALTER TABLE "a;""b" ADD c int',
      'DO $$ BEGIN PERFORM 1; END $$',
      'DO $body$ BEGIN PERFORM $1; PERFORM $$;$$; END $body$',
    ];
    expect(splitStatements(statements.join(';\n'))).toEqual(statements);
  });

  it('returns no statements for a script of comments', () => {
    expect(splitStatements('-- nothing to do;\n/* ; */ ;')).toEqual([]);
  });
});
