import { parse } from 'acorn';
import { i18n } from '../language/i18n.ts';
import type { TextIssue } from './text-editor.tsx';

/** The function around the source, on one line, so that positions need only be shifted. */
const BEFORE = '(async function () { "use strict";\n';
const AFTER = '\n})';

/** Returns the first syntax error of a text as the body of an asynchronous function, in strict mode. */
export function scriptIssue(source: string): TextIssue | undefined {
  const text = BEFORE + source + AFTER;
  try {
    parse(text, { ecmaVersion: 2024, sourceType: 'script' });
    return undefined;
  } catch (error) {
    if (!(error instanceof SyntaxError) || !('pos' in error) || typeof error.pos !== 'number') {
      return { message: i18n.t('The script nests too deeply'), from: 0, to: 0 };
    }
    // An issue at the end of the text is marked on its last character.
    const from = Math.max(0, Math.min(error.pos - BEFORE.length, source.length - 1));
    const { length: line } = source.slice(0, from).split('\n');
    const message = error.message.replace(/ \(\d+:\d+\)$/, '');
    return { message: i18n.t('Line {line}: {message}', { line, message }), from, to: from + 1 };
  }
}
