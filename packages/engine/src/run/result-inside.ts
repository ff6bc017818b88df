import type { Region } from '../compile/graph.ts';
import type { TerminalResult } from '../node-type.ts';
import { storedResult } from './node-state.ts';
import { type NodeRecord, recordKey } from './records.ts';
import type { Task } from './scheduler.ts';

/**
 * Returns the result of the last Terminal node in a try that earlier workers finished, whose body is not replayed.
 * Those in loops are not found: their iterations are not loaded.
 */
export function resultInside(
  records: ReadonlyMap<string, NodeRecord>,
  { node: { body }, scope: { iteration } }: Task,
): TerminalResult | undefined {
  if (!body?.catches) return undefined;
  const ends = recordsInside(records, body, iteration).filter((record) => storedResult(record) !== undefined);
  const last = ends.sort((a, b) => (a.finishedAt ?? 0) - (b.finishedAt ?? 0)).at(-1);
  return last && storedResult(last);
}

/** Returns the records of the nodes in a try, and in those in it. */
function recordsInside(records: ReadonlyMap<string, NodeRecord>, body: Region, iteration: string): NodeRecord[] {
  return body.nodes.flatMap((node) => {
    const record = records.get(recordKey(node.id, iteration));
    const inside = node.body?.catches ? recordsInside(records, node.body, iteration) : [];
    return record ? [record, ...inside] : inside;
  });
}
