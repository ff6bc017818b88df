import type { ExpressionName, SourceReferences } from '@deckhand/engine';
import type { MemberExpression } from 'acorn';
import { simple } from 'acorn-walk';
import { parseSource } from './parse-source.ts';

const VALUES: ReadonlySet<string> = new Set<ExpressionName>([
  '$trigger',
  '$input',
  '$loop',
  '$links',
  '$vars',
  '$execution',
  '$now',
]);

const isValueName = (name: string): name is ExpressionName => VALUES.has(name);

/**
 * Finds the names that a source mentions, so that only their values are passed to it. A name counts wherever it is used
 * as a variable, even if the source declares one of that name itself. A source with issues reads nothing.
 */
export function findReferences(source: string): SourceReferences {
  const names = new Set<ExpressionName>();
  const nodes = new Set<string>();
  const parsed = parseSource(source);
  if ('issue' in parsed) return { names, nodes: [], readsAnyNode: false };
  /** The number of occurrences of `$nodes`, and of those followed by a node's id. */
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
