import { testPattern, type Pattern } from '../pattern.ts';
import type { Run } from '../run.ts';

/** The only method of a regular expression: `/^a/.test(text)`. */
export const patternTest = {
  signature: 'test(text: string): boolean',
  doc: 'Whether the regular expression matches anywhere in a text.',
  apply: (run: Run, pattern: Pattern, text: string): boolean => testPattern(run, pattern, text),
} as const;
