import type { JsonObject } from './json.ts';
import type { KeptImportReport, WorkflowImportReport } from './schemas/workflows.ts';
import { stubReason } from './stub-script.ts';

/**
 * Returns the tasks of an import with what was done since: a stub is done once it is replaced or deleted, and a
 * review once none of its nodes is left.
 * @param nodes of the definition as it is now.
 */
export function openTasks(
  tasks: KeptImportReport['tasks'],
  nodes: readonly { readonly id: string; readonly type: string; readonly parameters?: JsonObject | undefined }[],
): WorkflowImportReport['tasks'] {
  const left = new Map(nodes.map((node) => [node.id, node]));
  return tasks.map(({ level, message, nodes: concerned }) => {
    const isOpen = (id: string): boolean => {
      const node = left.get(id);
      return node !== undefined && (level === 'review' || stubReason(node) !== undefined);
    };
    const marked = concerned.map(({ name, nodeIds }) => ({
      name,
      nodeIds,
      done: nodeIds.length > 0 && !nodeIds.some(isOpen),
    }));
    return { level, message, nodes: marked, done: marked.every(({ done }) => done) };
  });
}
