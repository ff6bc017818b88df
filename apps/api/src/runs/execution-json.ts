import { type ExecutionStatus, maskHeaders } from '@deckhand/contracts';
import type { ExecutionRecord } from '@deckhand/db';

/** A node without a record: in a run that succeeded it was never reached, in another it did not come to it (yet). */
function withoutRecord(status: ExecutionStatus): string {
  const state = status === 'success' ? 'skipped' : 'pending';
  return `{"status":"${state}","startedAt":null,"finishedAt":null,"attempts":0,"outputBytes":0}`;
}

/**
 * A run as JSON text, made by joining what is serialised already: outputs and trigger data are not parsed to be written
 * again. What senders of webhooks put into secret headers is masked.
 * @param nodeIds the nodes of the run's version: those without a record are in `progress` too.
 */
export function executionJson(run: ExecutionRecord, nodeIds: readonly string[]): string {
  return maskHeaders(`{${executionMembers(run, nodeIds)},"result":${run.resultJson ?? 'null'}}`);
}

/**
 * A run in a list as JSON text: without its result, which is an output.
 * @param nodeIds as for `executionJson`; undefined to leave `progress` out.
 */
export function executionEntryJson(run: ExecutionRecord, nodeIds: readonly string[] | undefined): string {
  return maskHeaders(`{${executionMembers(run, nodeIds ?? [])}${nodeIds ? '' : ',"progressOmitted":true'}}`);
}

function executionMembers(run: ExecutionRecord, nodeIds: readonly string[]): string {
  const head = JSON.stringify({
    executionId: run.id,
    id: run.id,
    workflowId: run.workflowId,
    workspaceId: run.workspaceId,
    workflowVersionId: run.workflowVersionId,
    status: run.status,
    executionMode: run.executionMode,
    source: run.source,
    workflowName: run.workflowName,
    rerunOf: run.rerunOf,
    parentExecutionId: run.parentExecutionId,
    createdAt: run.createdAt.toISOString(),
    startedAt: run.startedAt?.toISOString() ?? null,
    finishedAt: run.finishedAt?.toISOString() ?? null,
    currentNodeId: run.currentNodeId,
  });
  const members = [
    `"progress":{${progressMembers(run, nodeIds)}}`,
    `"data":{${dataMembers(run)}}`,
    `"error":${run.errorJson ?? 'null'}`,
  ];
  return `${head.slice(1, -1)},${members.join(',')}`;
}

function progressMembers(run: ExecutionRecord, nodeIds: readonly string[]): string {
  const begun = run.progressJson === null ? [] : [run.progressJson];
  const known = new Set(run.begunNodeIds);
  const pending = nodeIds.filter((id) => !known.has(id)).map((id) => `"${id}":${withoutRecord(run.status)}`);
  return [...begun, ...pending].join(',');
}

function dataMembers(run: ExecutionRecord): string {
  const members = [`"trigger":${run.triggerJson ?? 'null'}`, `"triggerNodeId":"${run.triggerNodeId}"`];
  if (run.isTriggerOmitted) members.push('"triggerOmitted":true');
  if (run.rerunOf !== null) members.push(`"rerunOf":"${run.rerunOf}"`);
  if (run.rerunFromNodeId !== null) members.push(`"rerunFromNodeId":"${run.rerunFromNodeId}"`);
  return [...members, `"approvals":[${run.approvalsJson ?? ''}]`].join(',');
}
