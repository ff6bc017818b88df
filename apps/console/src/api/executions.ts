import type {
  Callback,
  CallbackList,
  ExecuteResponse,
  Execution,
  ExecutionEntry,
  ExecutionMode,
  ExecutionSource,
  ExecutionStatus,
  NodeDebug,
  NodeOutput,
  PageOf,
  StatusResponse,
} from '@deckhand/contracts';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { ApiError } from './api-error.js';
import { call, type Query } from './call.js';

const PAGE = 100;

/** Filters of a list of runs; an export takes the same. */
export interface RunFilter {
  readonly status?: ExecutionStatus | undefined;
  readonly workflowId?: string | undefined;
  /** ISO 8601, inclusive. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly search?: string | undefined;
  readonly errorContains?: string | undefined;
  readonly failureGroup?: string | undefined;
}

/** Converts a filter to the parameters of the API. */
export function toRunQuery(workspaceId: string, { from, to, ...rest }: RunFilter): Query {
  return { workspaceId, ...rest, 'startedAt[gte]': from, 'startedAt[lte]': to, sortBy: 'createdAt' };
}

/** The runs of a workspace, page by page, the newest first. */
export const runsQuery = (workspaceId: string, filter: RunFilter) =>
  infiniteQueryOptions({
    queryKey: ['runs', workspaceId, filter],
    queryFn: ({ pageParam, signal }) =>
      call<PageOf<ExecutionEntry>>('GET', '/api/executions', {
        query: { ...toRunQuery(workspaceId, filter), limit: PAGE, offset: pageParam },
        signal,
      }),
    initialPageParam: 0,
    getNextPageParam: ({ offset, limit, hasMore }) => (hasMore ? offset + limit : undefined),
  });

/** A run without its outputs. */
export const runQuery = (executionId: string) =>
  queryOptions({
    queryKey: ['run', executionId],
    queryFn: ({ signal }) =>
      call<Execution>('GET', `/api/executions/${executionId}`, { query: { slim: true }, signal }),
  });

/** A finished run with its outputs, which do not change any more. */
export const wholeRunQuery = (executionId: string) =>
  queryOptions({
    queryKey: ['run', executionId, 'whole'],
    queryFn: ({ signal }) => call<Execution>('GET', `/api/executions/${executionId}`, { signal }),
    staleTime: Infinity,
  });

/** Polling interval while a callback is being delivered, in ms. */
const CALLBACK_MS = 2_000;

/** What was sent to the callback URL of a run that has ended. */
export const callbacksQuery = (executionId: string) =>
  queryOptions({
    queryKey: ['callbacks', executionId],
    queryFn: ({ signal }) => call<CallbackList>('GET', `/api/executions/${executionId}/callbacks`, { signal }),
    refetchInterval: ({ state }) => (state.data?.data.some(({ status }) => status === 'pending') ? CALLBACK_MS : false),
  });
export const replayCallback = (executionId: string, deliveryId: string): Promise<Callback> =>
  call('POST', `/api/executions/${executionId}/callbacks/${deliveryId}/replay`);

/** The latest run of a workflow that a filter finds, if there is one. */
export const lastRunQuery = (
  workspaceId: string,
  workflowId: string,
  filter: { status?: ExecutionStatus; source?: ExecutionSource; executionMode?: ExecutionMode } = {},
) =>
  queryOptions({
    queryKey: ['last-run', workspaceId, workflowId, filter],
    queryFn: ({ signal }) =>
      call<PageOf<ExecutionEntry>>('GET', '/api/executions', {
        query: { workspaceId, workflowId, ...filter, sortBy: 'createdAt', limit: 1 },
        signal,
      }),
  });

/**
 * The output of a node. @param iteration of a node in a loop; the last one by default. @param finishedAt of the node:
 * another time means another output.
 */
export const outputQuery = (executionId: string, nodeId: string, iteration?: string, finishedAt?: string | null) =>
  queryOptions({
    queryKey: ['output', executionId, nodeId, iteration, finishedAt],
    queryFn: ({ signal }) =>
      call<NodeOutput>('GET', `/api/executions/${executionId}/nodes/${encodeURIComponent(nodeId)}/output`, {
        query: { iteration },
        signal,
      }),
  });

/** The debug data of a node; null if the run has kept none. @param finishedAt as for an output. */
export const debugQuery = (
  executionId: string,
  nodeId: string,
  iteration: number | undefined,
  finishedAt: string | null,
) =>
  queryOptions({
    queryKey: ['debug', executionId, nodeId, iteration, finishedAt],
    queryFn: ({ signal }) =>
      call<NodeDebug>('GET', `/api/executions/${executionId}/nodes/${encodeURIComponent(nodeId)}/debug`, {
        query: { iteration },
        signal,
      }).catch((error: unknown) => {
        if (error instanceof ApiError && error.status === 404) return null;
        throw error;
      }),
  });

export const stopRun = (executionId: string): Promise<StatusResponse> =>
  call('POST', `/api/executions/${executionId}/stop`);
export const pauseRun = (executionId: string): Promise<StatusResponse> =>
  call('POST', `/api/executions/${executionId}/pause`);
export const resumeRun = (executionId: string): Promise<StatusResponse> =>
  call('POST', `/api/executions/${executionId}/resume`);
/** Deletes the data of a finished run; its status, times and errors stay. */
export const redactRun = (executionId: string): Promise<StatusResponse> =>
  call('POST', `/api/executions/${executionId}/redact`);
export const deleteRun = (executionId: string): Promise<null> => call('DELETE', `/api/executions/${executionId}`);
export const rerun = (executionId: string, fromNodeId?: string): Promise<ExecuteResponse> =>
  call('POST', `/api/executions/${executionId}/rerun`, { body: fromNodeId === undefined ? {} : { fromNodeId } });
