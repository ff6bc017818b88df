import { setTimeout as sleep } from 'node:timers/promises';
import { FINISHED_STATUSES, type ExecuteResponse, type Execution } from '@deckhand/contracts';
import type { ApiClient } from './api-client.ts';

const POLL_MS = 100;

/** Time limit of a sample, in ms. */
const TIMEOUT_MS = 60_000;

/**
 * Runs a workflow to its end through the API, like any caller.
 * @param onProgress called with each observed state of the run.
 * @throws if it is not finished within a minute.
 */
export async function runToEnd(
  api: ApiClient,
  options: { apiKey: string; workflowId: string; input: object; onProgress: (execution: Execution) => void },
): Promise<Execution> {
  const caller = { apiKey: options.apiKey };
  const path = `/api/workflows/${options.workflowId}/execute`;
  const { executionId } = await api.call<ExecuteResponse>(caller, 'POST', path, { input: options.input });
  const deadline = Date.now() + TIMEOUT_MS;
  for (;;) {
    const execution = await api.call<Execution>(caller, 'GET', `/api/executions/${executionId}`);
    options.onProgress(execution);
    if (FINISHED_STATUSES.some((status) => status === execution.status)) return execution;
    if (Date.now() > deadline) {
      throw new Error(`run ${executionId} is still ${execution.status} after ${TIMEOUT_MS / 1000} s`);
    }
    await sleep(POLL_MS);
  }
}

const MARKS: Readonly<Record<string, string>> = { success: '✔', failed: '✖', skipped: '–', stopped: '■' };

/** Describes the nodes of a run in the order in which they began, one per line. */
export function describeNodes(execution: Execution): string[] {
  const nodes = Object.entries(execution.progress).sort(([, a], [, b]) =>
    (a.startedAt ?? '~').localeCompare(b.startedAt ?? '~'),
  );
  const width = Math.max(...nodes.map(([id]) => id.length));
  return nodes.map(([id, node]) => {
    const ms = node.startedAt && node.finishedAt ? Date.parse(node.finishedAt) - Date.parse(node.startedAt) : undefined;
    const facts = [
      node.status,
      ...(node.iterations === undefined ? [] : [`${node.iterations} times`]),
      ...(ms === undefined ? [] : [`${ms} ms`]),
      ...(node.error ? [node.error.message] : []),
    ];
    return `${MARKS[node.status] ?? '·'} ${id.padEnd(width)}  ${facts.join(', ')}`;
  });
}
