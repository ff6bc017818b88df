import type { Definition, Fault } from '@deckhand/contracts';
import { ApiFault } from '../api/api-fault.js';

/** Whether a save was refused for what is on the canvas: it has faults, or somebody saved in between. */
export function isAboutDefinition(error: unknown): boolean {
  if (!(error instanceof ApiFault)) return false;
  return error.code === 'CONFLICT' || error.faults.some(({ path }) => path.startsWith('definition'));
}

/** Faults of a save by the node they are in: what is wrong, in words, each with its place within the node. */
export function faultsByNode(definition: Definition, faults: readonly Fault[]): ReadonlyMap<string, string> {
  const byNode = new Map<string, string>();
  for (const { path, message } of faults) {
    const [, index, rest = ''] = /^definition\.nodes\[(\d+)\]\.?(.*)$/.exec(path) ?? [];
    const node = index === undefined ? undefined : definition.nodes[Number(index)];
    if (!node) continue;
    const line = `${rest.replace(/^parameters\./, '')} ${message}`.trim();
    const before = byNode.get(node.id);
    byNode.set(node.id, before === undefined ? line : `${before}; ${line}`);
  }
  return byNode;
}
