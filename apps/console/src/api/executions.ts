import type {
  Callback,
  CallbackList,
  ExecuteResponse,
  Execution,
  ExecutionEntry,
  ExecutionHistogram,
  ExecutionMode,
  ExecutionSource,
  ExecutionStatus,
  IterationEntry,
  NodeDebug,
  NodeOutput,
  PageOf,
  RerunBody,
  StatusResponse,
} from '@deckhand/contracts';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { ApiError } from './api-error.ts';
import { call, type Query } from './call.ts';
import { rangeOf, type RunFilter } from './run-filter.ts';

const PAGE = 100;
/** No cursor: empty parameters are not sent. */
const FIRST_PAGE = '';

/** Converts a filter to the parameters of the API. */
export function toRunQuery(workspaceId: string, filter: RunFilter): Query {
  const { within: _within, from: _from, to: _to, ...rest } = filter;
  const { gte, lte } = rangeOf(filter);
  // In the order of the range, only its runs are read.
  const sortBy = gte === undefined && lte === undefined ? 'createdAt' : 'startedAt';
  return { workspaceId, ...rest, 'startedAt[gte]': gte, 'startedAt[lte]': lte, sortBy };
}

const ROW_FIELDS = [
  'id',
  'workspaceId',
  'workflowId',
  'workflowName',
  'status',
  'source',
  'executionMode',
  'createdAt',
  'startedAt',
  'finishedAt',
  'error',
  'tags',
] as const;

/** A run in a list. */
export type RunRow = Pick<ExecutionEntry, (typeof ROW_FIELDS)[number]>;

interface RunPage extends PageOf<RunRow> {
  /** Null on the last page. */
  readonly nextCursor: string | null;
}

const fetchRuns = (workspaceId: string, filter: RunFilter, cursor: string, signal: AbortSignal) =>
  call<RunPage>('GET', '/api/executions', {
    query: { ...toRunQuery(workspaceId, filter), fields: ROW_FIELDS.join(','), limit: PAGE, cursor },
    signal,
  });

/** The runs of a workspace, page by page, the newest first. */
export const runsQuery = (workspaceId: string, filter: RunFilter) =>
  infiniteQueryOptions({
    queryKey: ['runs', workspaceId, filter],
    queryFn: ({ pageParam, signal }) => fetchRuns(workspaceId, filter, pageParam, signal),
    initialPageParam: FIRST_PAGE,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });

/** The first page of the same list, read beside it. */
export const newestRunsQuery = (workspaceId: string, filter: RunFilter) =>
  queryOptions({
    queryKey: ['newest-runs', workspaceId, filter],
    queryFn: ({ signal }) => fetchRuns(workspaceId, filter, FIRST_PAGE, signal),
  });

const CHILD_FIELDS = [
  ...['id', 'workflowId', 'workflowName', 'parentNodeId'],
  ...['status', 'createdAt', 'startedAt', 'finishedAt'],
] as const satisfies readonly (keyof ExecutionEntry)[];

/** A run that a node of another has started. */
export type ChildRun = Pick<ExecutionEntry, (typeof CHILD_FIELDS)[number]>;

/** Polling interval of the runs that a run has started, while it is in progress, in ms. */
const CHILDREN_MS = 5_000;

/** The first runs that the nodes of a run have started. */
export const childRunsQuery = (run: Pick<Execution, 'id' | 'workspaceId' | 'finishedAt'>) =>
  queryOptions({
    queryKey: ['child-runs', run.id, run.finishedAt],
    queryFn: ({ signal }) =>
      call<PageOf<ChildRun>>('GET', '/api/executions', {
        query: {
          ...{ workspaceId: run.workspaceId, parentExecutionId: run.id, fields: CHILD_FIELDS.join(',') },
          ...{ sortBy: 'createdAt', sortOrder: 'asc', limit: PAGE },
        },
        signal,
      }),
    // Runs that nothing waits for may outlive the one that started them.
    refetchInterval: ({ state }) =>
      run.finishedAt === null || state.data?.data.some(({ finishedAt }) => finishedAt === null) ? CHILDREN_MS : false,
  });

/** How many runs of a workspace match a filter, by start and status. */
export const histogramQuery = (workspaceId: string, filter: RunFilter) =>
  queryOptions({
    queryKey: ['run-histogram', workspaceId, filter],
    // It is polled, and a workspace has few at once.
    retry: false,
    queryFn: ({ signal }) => {
      const { sortBy: _sortBy, ...query } = toRunQuery(workspaceId, filter);
      return call<ExecutionHistogram>('GET', '/api/executions/histogram', { query, signal });
    },
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

/** Maximum number of iterations that are read at once. */
export const MAX_ITERATIONS = 100;

/** The iterations of a node in a loop of a finished run, which do not change any more. */
export const iterationsQuery = (executionId: string, nodeId: string) =>
  queryOptions({
    queryKey: ['iterations', executionId, nodeId],
    queryFn: ({ signal }) =>
      call<PageOf<IterationEntry>>(
        'GET',
        `/api/executions/${executionId}/nodes/${encodeURIComponent(nodeId)}/iterations`,
        {
          query: { limit: MAX_ITERATIONS },
          signal,
        },
      ),
    staleTime: Infinity,
  });

/** The first iterations of a node that failed. @param count how many there are: another number means other ones. */
export const failedIterationsQuery = (executionId: string, nodeId: string, count: number) =>
  queryOptions({
    queryKey: ['iterations', executionId, nodeId, 'failed', count],
    queryFn: ({ signal }) =>
      call<PageOf<IterationEntry>>(
        'GET',
        `/api/executions/${executionId}/nodes/${encodeURIComponent(nodeId)}/iterations`,
        {
          query: { status: 'failed', limit: MAX_ITERATIONS },
          signal,
        },
      ),
  });

/** Polling interval of an iteration in progress, in ms. */
const ITERATION_MS = 2_000;

/** One iteration of a node; null if the node did not run in it. @param isLive whether the run is in progress. */
export const iterationQuery = (
  executionId: string,
  { nodeId, iteration, isLive }: { readonly nodeId: string; readonly iteration: string; readonly isLive: boolean },
) =>
  queryOptions({
    queryKey: ['iterations', executionId, nodeId, 'one', iteration, isLive],
    queryFn: async ({ signal }) => {
      const query = { iteration, limit: 1 };
      const page = await call<PageOf<IterationEntry>>(
        'GET',
        `/api/executions/${executionId}/nodes/${encodeURIComponent(nodeId)}/iterations`,
        { query, signal },
      );
      return page.data[0] ?? null;
    },
    refetchInterval: ({ state }) => (isLive && (state.data?.finishedAt ?? null) === null ? ITERATION_MS : false),
  });

/** The debug data of a node; null if the run has kept none. @param finishedAt as for an output. */
export const debugQuery = (
  executionId: string,
  nodeId: string,
  iteration: string | undefined,
  finishedAt: string | null,
) =>
  queryOptions({
    queryKey: ['debug', executionId, nodeId, iteration, finishedAt],
    queryFn: ({ signal }) => readDebug(executionId, nodeId, { iteration, signal }),
  });

/** Reads the debug data of a node, by default of its latest iteration; null if the run has kept none. */
export function readDebug(
  executionId: string,
  nodeId: string,
  { iteration, signal }: { readonly iteration?: string | undefined; readonly signal: AbortSignal },
): Promise<NodeDebug | null> {
  return call<NodeDebug>('GET', `/api/executions/${executionId}/nodes/${encodeURIComponent(nodeId)}/debug`, {
    query: { iteration },
    signal,
  }).catch((error: unknown) => {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  });
}

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

/** Reruns a run: all of it, from a node on, or only a node (`untilNodeId`), with outputs of others that are given. */
export const rerun = (executionId: string, body: RerunBody): Promise<ExecuteResponse> =>
  call('POST', `/api/executions/${executionId}/rerun`, { body });
