/** The names that a source sees, those of expressions. */
export const NAMES = ['$trigger', '$input', '$nodes', '$loop', '$vars', '$execution', '$now'] as const;

/** Lines of the function's text before the first one of the source. */
export const LINES_BEFORE = 1;

/** The source as the function that is parsed when a version is saved, and called when its node runs. */
export function functionText(source: string): string {
  return `(async function (${NAMES.join(', ')}) { "use strict";\n${source}\n})`;
}
