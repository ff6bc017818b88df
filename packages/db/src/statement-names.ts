import { createHash } from 'node:crypto';

/** A statement of a hot path begins with its name in a comment, such as `/* executions.accept *\/`. */
const NAMED_STATEMENT = /^\s*\/\* ([a-z-]+\.[a-z-]+) \*\//;

/**
 * Maximum number of names of a process. Each named statement stays in the memory of every server process that has
 * prepared it. The hot statements have a few forms each, about a hundred together; a further text is sent without a
 * name.
 */
const MAX_NAMES = 500;
/** Maximum number of them with one label: callers choose the form of a list, and must not use up all names. */
const MAX_NAMES_OF_LABEL = 50;

/** Hexadecimal digits of the hash, and characters of the label: a name has at most 63 characters in all. */
const HASH_DIGITS = 20;
const LABEL_CHARS = 42;

/**
 * Creates the function that names statements. A named statement is parsed once per connection instead of once per call,
 * and planned once where PostgreSQL finds that as good. Statements that do not name themselves stay unnamed.
 *
 * A name holds a hash of the text, so that no two texts share one: not in this process, and not in two processes of
 * different versions behind a pooler.
 */
export function createStatementNames(): (query: { readonly sql: string }) => string {
  const names = new Map<string, string>();
  const counts = new Map<string, number>();
  return ({ sql }) => {
    const known = names.get(sql);
    if (known !== undefined) return known;
    const label = NAMED_STATEMENT.exec(sql)?.[1];
    if (label === undefined || names.size >= MAX_NAMES) return '';
    const count = counts.get(label) ?? 0;
    if (count >= MAX_NAMES_OF_LABEL) return '';
    counts.set(label, count + 1);
    const name = `${label.slice(0, LABEL_CHARS)}:${createHash('sha256').update(sql).digest('hex').slice(0, HASH_DIGITS)}`;
    names.set(sql, name);
    return name;
  };
}
