import type { ExpressionName, ExpressionReferences } from './scope.ts';

/** Returns what several expressions read: each node once, in the order of its first use. */
export function mergeReferences(all: Iterable<ExpressionReferences>): ExpressionReferences {
  const nodes = new Set<string>();
  const links = new Set<string>();
  const names = new Set<ExpressionName>();
  for (const each of all) {
    for (const id of each.nodes) nodes.add(id);
    for (const id of each.links ?? []) links.add(id);
    for (const name of each.names) names.add(name);
  }
  return { nodes: [...nodes], names, ...(links.size > 0 && { links: [...links] }) };
}

/** No references. */
export const noReferences: ExpressionReferences = { nodes: [], names: new Set() };
