import { describe, expect, it } from '@jest/globals';
import { createStatementNames } from './statement-names.ts';

describe('the name of a statement', () => {
  const nameOf = createStatementNames();

  it('is the same for the same text, in every process', () => {
    const sql = '/* executions.accept */ SELECT 1';
    expect(nameOf({ sql })).toBe(nameOf({ sql: sql.slice() }));
    expect(createStatementNames()({ sql })).toBe(nameOf({ sql }));
    expect(nameOf({ sql })).toMatch(/^executions\.accept:[0-9a-f]{20}$/);
  });

  it('differs between two texts of the same length', () => {
    const [one, other] = ['1', '2'].map((value) => nameOf({ sql: `/* executions.accept */ SELECT ${value}` }));
    expect(one).not.toBe(other);
  });

  it('is empty for a statement without a label', () => {
    expect(nameOf({ sql: 'SELECT 1' })).toBe('');
    expect(nameOf({ sql: 'SELECT /* executions.accept */ 1' })).toBe('');
  });

  it('is empty after five hundred names, so that varying texts do not fill the memory of the server', () => {
    const name = createStatementNames();
    const names = Array.from({ length: 600 }, (_, n) =>
      name({ sql: `/* executions.accept${'x'.repeat(n % 20)} */ SELECT ${n}` }),
    );
    expect(new Set(names.filter((given) => given !== '')).size).toBe(500);
    expect(name({ sql: '/* executions.accept */ SELECT 0' })).toBe(names[0]);
  });

  it('is empty after fifty names with one label, so that the forms of one statement leave names to others', () => {
    const name = createStatementNames();
    const names = Array.from({ length: 60 }, (_, n) => name({ sql: `/* executions.list */ SELECT ${n}` }));
    expect(new Set(names.filter((given) => given !== '')).size).toBe(50);
    expect(name({ sql: '/* executions.accept */ SELECT 0' })).not.toBe('');
  });

  it('is no longer than PostgreSQL allows, whatever the label', () => {
    const nameOf = createStatementNames();
    const names = ['a', 'b'].map((end) => nameOf({ sql: `/* runs.${'x'.repeat(80)}${end} */ SELECT 1` }));
    expect(names.map((name) => name.length)).toEqual([63, 63]);
    expect(new Set(names).size).toBe(2);
  });
});
