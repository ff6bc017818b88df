import {
  type EntryView,
  type Execution,
  type ExecutionStatus,
  isFinished,
  maskHeaders,
  type NodeCounts,
  parseOwnJson,
} from '@deckhand/contracts';
import type { ExecutionRecord } from '@deckhand/db';

/** A node without a record: in a run that succeeded it was never reached, in another it did not come to it (yet). */
function statusWithoutRecord(status: ExecutionStatus): 'skipped' | 'pending' {
  return status === 'success' ? 'skipped' : 'pending';
}

function withoutRecord(status: ExecutionStatus): string {
  return `{"status":"${statusWithoutRecord(status)}","startedAt":null,"finishedAt":null,"attempts":0,"outputBytes":0}`;
}

/**
 * A run as JSON text, made by joining what is serialised already: outputs and trigger data are not parsed to be written
 * again. What senders of webhooks put into secret headers is masked.
 * @param nodeIds the nodes of the run's version: those without a record are in `progress` too.
 */
export function executionJson(run: ExecutionRecord, nodeIds: readonly string[]): string {
  const omitted = run.isResultOmitted ? ',"resultOmitted":true' : '';
  return maskHeaders(`{${executionMembers(run, nodeIds)},"result":${run.resultJson ?? 'null'}${omitted}}`);
}

/**
 * A run in a list as JSON text: without its result, which is an output.
 * @param nodeIds as for `executionJson`; undefined to leave `progress` out.
 * @param fields the members to show; all by default.
 */
export function executionEntryJson(
  run: ExecutionRecord,
  nodeIds: readonly string[] | undefined,
  fields?: EntryView['fields'],
): string {
  const omitted = nodeIds === undefined && fields?.includes('progress') !== false ? ',"progressOmitted":true' : '';
  return maskHeaders(`{${executionMembers(run, nodeIds ?? [], fields)}${omitted}}`);
}

/** The JSON text of a run, as what a list shows of it. */
export function entryOf(json: string, { fields, progress }: EntryView): string {
  if (fields === undefined && progress === 'nodes') return json;
  const run = parseOwnJson<Execution>(json);
  const shown = progress === 'nodes' ? run : { ...run, progress: countNodes(run.progress) };
  return JSON.stringify(fields ? pick(shown, fields) : shown);
}

/** The limit by the key of a run. */
function toConcurrency(run: ExecutionRecord): Execution['concurrency'] {
  const { concurrencyKey: key, concurrencyLimit, holdsKey, status } = run;
  if (key === null) return null;
  return { key, limit: concurrencyLimit ?? 1, isWaiting: holdsKey === false && !isFinished(status) };
}

function pick(members: object, fields: readonly string[]): object {
  return Object.fromEntries(Object.entries(members).filter(([name]) => fields.includes(name)));
}

function countNodes(progress: Execution['progress']): NodeCounts {
  const counts = { ...NO_NODES };
  for (const { status } of Object.values(progress)) counts[status] += 1;
  return counts;
}

const NO_NODES: NodeCounts = { pending: 0, running: 0, success: 0, failed: 0, skipped: 0, waiting: 0, stopped: 0 };

function executionMembers(run: ExecutionRecord, nodeIds: readonly string[], fields?: EntryView['fields']): string {
  const head = {
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
    parentNodeId: run.parentNodeId,
    createdAt: run.createdAt.toISOString(),
    startedAt: run.startedAt?.toISOString() ?? null,
    finishedAt: run.finishedAt?.toISOString() ?? null,
    currentNodeId: run.currentNodeId,
    startAt: run.startAt?.toISOString() ?? null,
    expiresAt: run.expiresAt?.toISOString() ?? null,
    priority: run.priority ?? 0,
    concurrency: toConcurrency(run),
    errorOf: run.errorOf,
    errorExecutionId: run.errorExecutionId,
    errorStartCode: run.errorStartCode,
    tags: run.tags ?? [],
  };
  const isShown = (name: 'metadata' | 'progress' | 'data' | 'error'): boolean => fields?.includes(name) !== false;
  const members = [JSON.stringify(fields ? pick(head, fields) : head).slice(1, -1)];
  if (isShown('metadata')) members.push(`"metadata":${run.metadataJson ?? '{}'}`);
  if (isShown('progress')) members.push(`"progress":${progressJson(run, nodeIds)}`);
  if (isShown('data')) members.push(`"data":{${dataMembers(run)}}`);
  if (isShown('error')) members.push(`"error":${run.errorJson ?? 'null'}`);
  return members.filter((text) => text !== '').join(',');
}

function progressJson(run: ExecutionRecord, nodeIds: readonly string[]): string {
  if (run.nodeCounts !== null) return countsJson(run.nodeCounts, run.status, nodeIds.length);
  const begun = run.progressJson === null ? [] : [run.progressJson];
  const known = new Set(run.begunNodeIds);
  const pending = nodeIds.filter((id) => !known.has(id)).map((id) => `"${id}":${withoutRecord(run.status)}`);
  return `{${[...begun, ...pending].join(',')}}`;
}

/** Nodes per status, those without a record included. */
function countsJson(counts: Partial<NodeCounts>, status: ExecutionStatus, nodes: number): string {
  const all = { ...NO_NODES, ...counts };
  const begun = Object.values(all).reduce((sum, count) => sum + count, 0);
  all[statusWithoutRecord(status)] += Math.max(0, nodes - begun);
  return JSON.stringify(all);
}

function dataMembers(run: ExecutionRecord): string {
  const members = [`"trigger":${run.triggerJson ?? 'null'}`, `"triggerNodeId":"${run.triggerNodeId}"`];
  if (run.isTriggerOmitted) members.push('"triggerOmitted":true');
  if (run.rerunOf !== null) members.push(`"rerunOf":"${run.rerunOf}"`);
  if (run.rerunFromNodeId !== null) members.push(`"rerunFromNodeId":"${run.rerunFromNodeId}"`);
  if (run.rerunIterations !== null) members.push(`"rerunIterations":"${run.rerunIterations}"`);
  if (run.untilNodeId !== null) members.push(`"untilNodeId":"${run.untilNodeId}"`);
  if (run.mockedNodeIds !== null) members.push(`"mockedNodeIds":${JSON.stringify(run.mockedNodeIds)}`);
  return [...members, `"approvals":[${run.approvalsJson ?? ''}]`].join(',');
}
