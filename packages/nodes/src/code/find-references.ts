import type { ExpressionName, SourceReferences } from '@deckhand/engine';
import type { MemberExpression } from 'acorn';
import { simple } from 'acorn-walk';
import { parseSource } from './parse-source.js';

const VALUES: ReadonlySet<string> = new Set<ExpressionName>([
  '$trigger',
  '$input',
  '$loop',
  '$vars',
  '$execution',
  '$now',
]);

const isValueName = (name: string): name is ExpressionName => VALUES.has(name);

/**
 * The names that a source mentions, so that only what they stand for is handed over. A name counts wherever it stands
 * as a variable, though the source may have one of its own that is called so. A source with issues reads nothing.
 */
export function findReferences(source: string): SourceReferences {
  const names = new Set<ExpressionName>();
  const nodes = new Set<string>();
  const parsed = parseSource(source);
  if ('issue' in parsed) return { names, nodes: [], readsAnyNode: false };
  /** Times that `$nodes` stands anywhere, and times that the node's id follows it. */
  let mentions = 0;
  let told = 0;
  simple(parsed.program, {
    Identifier({ name }) {
      if (isValueName(name)) names.add(name);
      if (name === '$nodes') mentions += 1;
    },
    MemberExpression(member) {
      if (member.object.type !== 'Identifier' || member.object.name !== '$nodes') return;
      const id = staticKey(member);
      if (id === undefined) return;
      nodes.add(id);
      told += 1;
    },
  });
  return { names, nodes: [...nodes], readsAnyNode: mentions > told };
}

function staticKey({ computed, property }: MemberExpression): string | undefined {
  if (!computed) return property.type === 'Identifier' ? property.name : undefined;
  return property.type === 'Literal' && typeof property.value === 'string' ? property.value : undefined;
}
