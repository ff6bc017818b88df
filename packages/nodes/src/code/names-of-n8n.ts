import type { JsonValue } from '@deckhand/contracts';
import { explainNameOfN8n, type NodeWarning } from '@deckhand/engine';
import { full } from 'acorn-walk';
import { parseSource } from './parse-source.ts';

/** What scripts of n8n contain. Most others do not, and are not parsed again. */
const HINT = /\$(?:json|binary|node|items?|itemIndex|runIndex|env|today)?\b|\$\(|DateTime/;

/** Warns of the first name of n8n that a script reads, unless the script declares one itself. */
export function warnOfNamesOfN8n(source: JsonValue | undefined): NodeWarning[] {
  if (typeof source !== 'string' || !HINT.test(source)) return [];
  const parsed = parseSource(source);
  if ('issue' in parsed) return [];
  const read = new Set<string>();
  const declared = new Set<string>();
  full(parsed.program, (node, _state, type) => {
    if (node.type !== 'Identifier') return;
    if (type === 'VariablePattern') declared.add(node.name);
    else read.add(node.name);
  });
  for (const name of read) {
    const instead = declared.has(name) ? undefined : explainNameOfN8n(name);
    if (instead === undefined) continue;
    const message = `The script reads ${name}, which is that of n8n: here, ${instead}.`;
    return [{ code: 'FOREIGN_SYNTAX', path: 'source', message }];
  }
  return [];
}
