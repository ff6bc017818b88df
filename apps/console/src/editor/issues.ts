import type { Definition, ValidationIssue } from '@deckhand/contracts';
import { ApiError } from '../api/api-error.js';

/**
 * Returns true if a save was refused because of the definition: it has issues, or another version was saved meanwhile.
 */
export function isAboutDefinition(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  return error.code === 'CONFLICT' || error.issues.some(({ path }) => path.startsWith('definition'));
}

/** Groups the issues of a save by node, as text: each with its path within the node. */
export function issuesByNode(definition: Definition, issues: readonly ValidationIssue[]): ReadonlyMap<string, string> {
  const byNode = new Map<string, string>();
  for (const { path, message } of issues) {
    const [, index, rest = ''] = /^definition\.nodes\[(\d+)\]\.?(.*)$/.exec(path) ?? [];
    const node = index === undefined ? undefined : definition.nodes[Number(index)];
    if (!node) continue;
    const line = `${rest.replace(/^parameters\./, '')} ${message}`.trim();
    const before = byNode.get(node.id);
    byNode.set(node.id, before === undefined ? line : `${before}; ${line}`);
  }
  return byNode;
}
