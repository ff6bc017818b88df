/** The names that a source sees: those of expressions. */
export const NAMES = ['$trigger', '$input', '$nodes', '$loop', '$links', '$vars', '$execution', '$now'] as const;

/** Number of lines of the function before the first line of the source. */
export const LINES_BEFORE = 1;

/** Returns the source as a function, which is parsed when a version is saved and called when its node runs. */
export function functionText(source: string): string {
  return `(async function (${NAMES.join(', ')}) { "use strict";\n${source}\n})`;
}
