import Type, { type Static } from 'typebox';
import type { JsonObject, JsonValue } from '../json.js';
import {
  EXECUTION_MODES,
  EXECUTION_SOURCES,
  EXECUTION_STATUSES,
  type NodeStatus,
  TEST_MODES,
} from '../execution-status.js';
import {
  AnyJson,
  AnyObject,
  CLOSED,
  ExecutionStatusSchema,
  Id,
  KnownPerson,
  NodeStatusSchema,
  nullable,
  oneOf,
  oneOrSeveralOf,
  type Page,
  pageOf,
  pageQuery,
  ShownIteration,
  severalOf,
  Time,
  TimeRange,
} from './common.js';
import { EventUrl } from './event-endpoints.js';
import {
  Metadata,
  metadataFilter,
  RequestOptions,
  StartOptions,
  tagBodyFilter,
  tagFilter,
  Tags,
} from './start-options.js';

/** Outputs above this many bytes are left out of a run's answer. */
export const INLINE_OUTPUT_BYTES = 65_536;

/** Where the outputs of a run that are not larger have more bytes together, a response about it leaves all out. */
export const INLINE_OUTPUTS_BYTES = 16_777_216;

const UUID = '[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}';

/** Which version of a workflow a run is of. */
export const VersionChoice = Type.String({
  pattern: `^(latest|active|${UUID})$`,
  description: 'The version that runs: `latest` (the default), `active`, or the id of one of the workflow',
});
const RerunVersionChoice = Type.String({
  pattern: `^(latest|active|original|${UUID})$`,
  description:
    'The version that runs: `latest` (the default), `active`, `original` (that of the run), or the id of one',
});

/** Maximum size of the mocks of a run, in bytes as JSON. */
export const MAX_MOCKS_BYTES = 524_288;

const Mocks = Type.Unsafe<JsonObject>({
  type: 'object',
  additionalProperties: true,
  description:
    'Outputs by node id: these nodes do not run, and have the outputs given here. Up to 512 KiB. The mode is `test` by default, and cannot be `normal`',
});

const UntilNode = Type.String({
  minLength: 1,
  maxLength: 64,
  description:
    'The node to end after: only it and the nodes before it run. The mode is `test` by default, and cannot be `normal`',
});

/** What a start of a run may have, in a batch, too. */
export const startFields = {
  input: Type.Optional(AnyObject),
  triggerNodeId: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  executionMode: Type.Optional(oneOf(EXECUTION_MODES, { default: 'normal' })),
  version: Type.Optional(VersionChoice),
  callbackUrl: Type.Optional({
    ...EventUrl,
    description:
      'Gets the event of the end of the run, signed with a secret of the workspace. http or https. Only in the mode normal, and without `debounce`',
  }),
  ...RequestOptions.properties,
};

/** Body of POST /api/workflows/{id}/execute; all of it is optional. */
export const ExecuteBody = Type.Object(
  { ...startFields, untilNodeId: Type.Optional(UntilNode), mocks: Type.Optional(Mocks) },
  CLOSED,
);

/** Body of POST /api/executions/{id}/rerun. */
export const RerunBody = Type.Object(
  {
    fromNodeId: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'The node to start at, with the outputs of the nodes before it; by default the trigger',
      }),
    ),
    untilNodeId: Type.Optional(UntilNode),
    mocks: Type.Optional(Mocks),
    executionMode: Type.Optional(
      oneOf(TEST_MODES, { description: 'The mode of the new run; by default that of the original' }),
    ),
    version: Type.Optional(RerunVersionChoice),
    ...StartOptions.properties,
  },
  CLOSED,
);

const StartedAt = Type.Object(TimeRange.properties, {
  ...CLOSED,
  description: 'Bounds of the start time; for a run that never started, of its creation',
});

/** Characters of a text that is searched for. */
const MAX_SEARCH = 200;

/** Longest duration in a filter, in ms: a year. */
const MAX_DURATION_MS = 31_536_000_000;
/** Longest range of start times with a filter by duration, in days. `checkDuration` checks it. */
export const MAX_DURATION_RANGE_DAYS = 31;

const durationOf = (which: string) =>
  Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_DURATION_MS,
      description: `Only runs that took at ${which} so many ms from their start; a run in progress counts until now. Needs a range of start times: \`startedAt[gte]\`, at most ${MAX_DURATION_RANGE_DAYS} days before its end`,
    }),
  );

/** Filters that have one value. */
const singleFilters = {
  startedAt: Type.Optional(StartedAt),
  minDurationMs: durationOf('least'),
  maxDurationMs: durationOf('most'),
  workflowName: Type.Optional(Type.String({ maxLength: 200, description: 'The whole name of the workflow' })),
  rerunOf: Type.Optional(Type.String({ format: 'uuid', description: 'The run that was rerun' })),
  parentExecutionId: Type.Optional(
    Type.String({ format: 'uuid', description: 'The run whose `workflow` node started the run' }),
  ),
  ...metadataFilter,
};

/** Body of POST /api/executions/stop: which unfinished runs of a workspace to stop. Needs a filter, or `all`. */
export const StopManyBody = Type.Object(
  {
    workspaceId: Id,
    all: Type.Optional(Type.Boolean({ description: 'Required to stop runs without a filter' })),
    ...singleFilters,
    workflowId: Type.Optional(Id),
    status: Type.Optional(oneOrSeveralOf(EXECUTION_STATUSES)),
    executionMode: Type.Optional(oneOrSeveralOf(EXECUTION_MODES)),
    source: Type.Optional(oneOrSeveralOf(EXECUTION_SOURCES)),
    ...tagBodyFilter,
    search: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_SEARCH })),
    errorContains: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_SEARCH })),
  },
  CLOSED,
);

/** The filter by failure group, which finds only runs that have ended. */
export const failureGroupFilter = {
  failureGroup: Type.Optional(Type.String({ format: 'uuid', description: 'The failure group of the run' })),
};

const filterFields = {
  ...singleFilters,
  ...failureGroupFilter,
  status: Type.Optional(severalOf(EXECUTION_STATUSES, 'One or several statuses')),
  executionMode: Type.Optional(severalOf(EXECUTION_MODES, 'One or several modes')),
  source: Type.Optional(severalOf(EXECUTION_SOURCES, 'One or several of what started the run')),
  ...tagFilter,
  search: Type.Optional(
    Type.String({
      maxLength: MAX_SEARCH,
      description: 'Text in trigger data, outputs, errors or ids, in any case',
    }),
  ),
  errorContains: Type.Optional(Type.String({ maxLength: MAX_SEARCH, description: 'Text in the error, in any case' })),
};

const orderFields = {
  sortBy: oneOf(['startedAt', 'createdAt', 'finishedAt'], { default: 'startedAt' }),
  sortOrder: oneOf(['asc', 'desc'], { default: 'desc' }),
};

/** The query of GET /api/executions/export: all matching runs, in the list's order. */
export const ExportExecutionsQuery = Type.Object({
  workspaceId: Id,
  workflowId: Type.Optional(Id),
  format: oneOf(['csv', 'json']),
  ...filterFields,
  ...orderFields,
});

/** The members of a run in a list that `fields` chooses from. */
const ENTRY_FIELDS = [
  'executionId',
  'id',
  'workflowId',
  'workspaceId',
  'workflowVersionId',
  'status',
  'executionMode',
  'source',
  'workflowName',
  'rerunOf',
  'parentExecutionId',
  'parentNodeId',
  'createdAt',
  'startedAt',
  'finishedAt',
  'currentNodeId',
  'startAt',
  'expiresAt',
  'priority',
  'concurrency',
  'errorOf',
  'errorExecutionId',
  'errorStartCode',
  'tags',
  'metadata',
  'progress',
  'data',
  'error',
  'result',
] as const;

/** What a list shows of each run, and where it begins. */
const viewFields = {
  fields: Type.Optional(severalOf(ENTRY_FIELDS, 'The members that entries have; without it, all')),
  progress: oneOf(['nodes', 'counts'], {
    default: 'nodes',
    description: '`counts`: `progress` is the number of nodes per status',
  }),
  cursor: Type.Optional(
    Type.String({
      maxLength: 300,
      description: 'The `nextCursor` of the previous page, with the same filters and order',
    }),
  ),
};

/** The query of GET /api/executions. */
export const ListExecutionsQuery = Type.Object({
  workspaceId: Id,
  workflowId: Type.Optional(Id),
  ...filterFields,
  ...orderFields,
  ...viewFields,
  ...pageQuery(),
});

/** The query of GET /api/workflows/{id}/executions. */
export const ListWorkflowExecutionsQuery = Type.Object({
  latest: Type.Boolean({
    default: false,
    description: 'Only the last run of the mode normal that succeeded, with its outputs, or an empty list',
  }),
  ...filterFields,
  ...orderFields,
  ...viewFields,
  ...pageQuery(100),
});

/** The query of GET /api/executions/{id}. */
export const ReadExecutionQuery = Type.Object({
  slim: Type.Boolean({ default: false, description: 'Leave out the outputs' }),
  wait: Type.Integer({
    minimum: 0,
    maximum: 60,
    default: 0,
    description: 'How long to hold the response until the run is finished or waits for a person, in seconds',
  }),
});

/** The query of GET /api/executions/{id}/nodes/{nodeId}/output. */
export const ReadOutputQuery = Type.Object({
  iteration: Type.Optional(
    Type.String({
      pattern: '^\\d{1,7}(\\.\\d{1,7}){0,9}$',
      description: 'Its number from 0; in nested loops "outer.inner"',
    }),
  ),
});

/** Answer of stop, pause and resume. */
export const StatusResponse = Type.Object({ executionId: Id, status: ExecutionStatusSchema });

/** Answer of POST /api/executions/stop. */
export const StopManyResponse = Type.Object({ stopped: Type.Integer() });

/** How many workers could take a run. */
export const WorkerCounts = Type.Object({ live: Type.Integer(), consuming: Type.Integer() });

/** Answer of everything that starts a run: 202. */
export const ExecuteResponse = Type.Object({
  message: Type.String(),
  executionId: Id,
  isDebounced: Type.Optional(Type.Boolean({ description: 'Whether the start was joined with that of an earlier run' })),
  workers: WorkerCounts,
  warning: Type.Optional(Type.String({ description: 'Present when no worker is available' })),
});

export const NodeError = Type.Object({ message: Type.String(), code: Type.String() });

export const ExecutionError = Type.Object({
  message: Type.String(),
  nodeId: nullable(Type.String()),
  code: Type.String(),
});

const IterationCounts = Type.Unsafe<Readonly<Partial<Record<NodeStatus, number>>>>({
  type: 'object',
  additionalProperties: { type: 'integer' },
  description: 'Of a node in a loop: the number of iterations per status; `status` is that of the latest one',
});

/** One of several attempts of a node. */
export const NodeAttempt = Type.Object({
  startedAt: Type.String({
    format: 'date-time',
    description: 'By the clock of its worker, which may lag a little: the first may be before that of the node',
  }),
  finishedAt: nullable(Time, { description: 'null while it is in progress, and if its worker died' }),
  error: nullable(NodeError, { description: 'Why it failed. The message is cut after 300 characters.' }),
});
export type NodeAttempt = Static<typeof NodeAttempt>;

const AttemptHistory = Type.Array(NodeAttempt, {
  description: 'Of a node with several attempts: the latest 20, the one in progress included',
});

/** One entry of `progress`. */
export const NodeProgress = Type.Object({
  status: NodeStatusSchema,
  startedAt: nullable(Time),
  finishedAt: nullable(Time),
  attempts: Type.Integer(),
  attemptHistory: Type.Optional(AttemptHistory),
  iterations: Type.Optional(Type.Integer({ description: 'Of a node in a loop: the number of iterations so far' })),
  iterationCounts: Type.Optional(IterationCounts),
  output: Type.Optional(AnyJson),
  outputBytes: Type.Integer(),
  outputOmitted: Type.Optional(Type.Boolean()),
  error: Type.Optional(NodeError),
});

/** How many nodes of a run have which status. */
export const NodeCounts = Type.Object(
  {
    pending: Type.Integer(),
    running: Type.Integer(),
    success: Type.Integer(),
    failed: Type.Integer(),
    skipped: Type.Integer(),
    waiting: Type.Integer(),
    stopped: Type.Integer(),
  },
  { ...CLOSED, description: 'Nodes per status, with progress=counts' },
);

export const ApprovalRecord = Type.Object({
  nodeId: Type.String(),
  iteration: ShownIteration,
  decision: Type.String(),
  approved: Type.Boolean(),
  comment: nullable(Type.String()),
  by: nullable(Type.String()),
  byUser: KnownPerson,
  at: Time,
});

/** A run as GET /api/executions/{id} answers it. */
export const Execution = Type.Object({
  executionId: Id,
  id: Id,
  workflowId: Id,
  workspaceId: Id,
  workflowVersionId: Id,
  status: ExecutionStatusSchema,
  executionMode: oneOf(EXECUTION_MODES),
  source: oneOf(EXECUTION_SOURCES),
  workflowName: nullable(Type.String({ description: 'The current name of the workflow; null after it was deleted' })),
  rerunOf: nullable(Type.String({ format: 'uuid', description: 'The run that this one reruns' })),
  parentExecutionId: nullable(Type.String({ format: 'uuid', description: 'The run whose workflow node started it' })),
  parentNodeId: nullable(Type.String({ description: 'That node' })),
  createdAt: Time,
  startedAt: nullable(Time),
  finishedAt: nullable(Time),
  currentNodeId: nullable(Type.String()),
  startAt: nullable(Time, { description: 'When a delayed run starts; null for others' }),
  expiresAt: nullable(Time, { description: 'When the run ends as `timeout` unless it has begun' }),
  priority: Type.Integer({ description: 'Its priority in the queue, among the runs of the workspace' }),
  concurrency: nullable(Type.Object({ key: Type.String(), limit: Type.Integer(), isWaiting: Type.Boolean() }), {
    description: 'Its limit by a key, and whether it has no slot of the key yet; null without one',
  }),
  errorOf: nullable(Type.String({ format: 'uuid' }), {
    description: 'The failed run that it, or a run that started it, was started for as error workflow',
  }),
  errorExecutionId: nullable(Type.String({ format: 'uuid' }), {
    description: 'Of a failed run: the run of its error workflow, once it is started',
  }),
  errorStartCode: nullable(Type.String(), {
    description: 'Of a failed run whose error workflow could not be started: the code of the reason',
  }),
  tags: Tags,
  metadata: Metadata,
  progress: Type.Record(Type.String(), NodeProgress),
  data: Type.Object({
    trigger: AnyJson,
    triggerNodeId: Type.String(),
    rerunOf: Type.Optional(Id),
    rerunFromNodeId: Type.Optional(Type.String()),
    untilNodeId: Type.Optional(Type.String({ description: 'The node after which the run ends' })),
    mockedNodeIds: Type.Optional(
      Type.Array(Type.String(), { description: 'Nodes that did not run, but have the outputs that the start gave' }),
    ),
    approvals: Type.Array(ApprovalRecord),
  }),
  error: nullable(ExecutionError),
  result: AnyJson,
  resultOmitted: Type.Optional(Type.Boolean({ description: 'With slim=true: `result` is above 64 KiB, and left out' })),
});

/**
 * A run in a list: without outputs and result, and without trigger data above 64 KiB (`triggerOmitted`). Where the runs
 * of one page have very many nodes, the later ones are without their `progress` (`progressOmitted`).
 */
export const ExecutionEntry = Type.Object({
  ...Execution.properties,
  progress: Type.Union([Execution.properties.progress, NodeCounts]),
  result: Type.Optional(Type.Unsafe<JsonValue>({ description: 'With latest=true only' })),
  progressOmitted: Type.Optional(
    Type.Boolean({ description: '`progress` is empty, as the runs of this page have very many nodes' }),
  ),
  data: Type.Object({ ...Execution.properties.data.properties, triggerOmitted: Type.Optional(Type.Boolean()) }),
});

/** Response of GET /api/executions/export as JSON. */
export const ExecutionExport = Type.Array(ExecutionEntry);

/** A run in a list of which `fields` chose the members. */
export const PartialExecutionEntry = Type.Partial(ExecutionEntry);

export const ExecutionPage = Type.Object({
  ...pageOf(Type.Union([ExecutionEntry, PartialExecutionEntry])).properties,
  nextCursor: nullable(Type.String({ description: 'The `cursor` of the next page; null on the last' })),
});

/** Answer of GET /api/executions/{id}/nodes/{nodeId}/output. A nested loop's iteration is "outer.inner". */
export const NodeOutput = Type.Object({
  nodeId: Type.String(),
  iteration: ShownIteration,
  status: NodeStatusSchema,
  output: AnyJson,
});

/** The query of GET /api/executions/{id}/nodes/{nodeId}/iterations. */
export const ListIterationsQuery = Type.Object({ status: Type.Optional(NodeStatusSchema), ...pageQuery() });

/** How one iteration of a node in a loop went. */
export const IterationEntry = Type.Object({
  iteration: Type.Union([Type.Integer(), Type.String()], { description: 'Its number; "outer.inner" in nested loops' }),
  status: NodeStatusSchema,
  startedAt: nullable(Time),
  finishedAt: nullable(Time),
  attempts: Type.Integer(),
  attemptHistory: Type.Optional(AttemptHistory),
  outputBytes: Type.Integer(),
  error: nullable(NodeError),
});
export type IterationEntry = Static<typeof IterationEntry>;

/** Answer of GET /api/executions/{id}/result. */
export const ExecutionResult = Type.Object({
  executionId: Id,
  result: Type.Unsafe<JsonValue>({ description: 'The result that its Terminal node set; null while there is none' }),
});

/** Answer of GET /api/executions/{id}/nodes/{nodeId}/debug: what a run in debug mode kept of a node. */
export const NodeDebug = Type.Object({
  nodeId: Type.String(),
  iteration: ShownIteration,
  parameters: Type.Optional(
    Type.Unsafe<JsonValue>({ description: 'With their expressions evaluated; missing if that failed' }),
  ),
  input: Type.Optional(Type.Unsafe<JsonValue>({ description: 'The output of the node before' })),
  console: Type.Optional(Type.Unsafe<JsonValue>({ description: 'Console output of the node' })),
});

/** Which runs of a workspace: the filters of a list, apart from order, view and paging. */
export type ExecutionFilter = Readonly<
  Omit<Static<typeof ListExecutionsQuery>, keyof Page | keyof typeof orderFields | keyof typeof viewFields>
>;
/** What a list shows of each run. */
export type EntryView = Readonly<Pick<Static<typeof ListExecutionsQuery>, 'fields' | 'progress'>>;
export type NodeCounts = Static<typeof NodeCounts>;
export type StopManyBody = Static<typeof StopManyBody>;
export type ListExecutionsQuery = Static<typeof ListExecutionsQuery>;
export type ExportExecutionsQuery = Static<typeof ExportExecutionsQuery>;
export type ListWorkflowExecutionsQuery = Static<typeof ListWorkflowExecutionsQuery>;
export type ExecuteBody = Static<typeof ExecuteBody>;
export type RerunBody = Static<typeof RerunBody>;
export type ExecuteResponse = Static<typeof ExecuteResponse>;
export type WorkerCounts = Static<typeof WorkerCounts>;
export type NodeProgress = Static<typeof NodeProgress>;
export type Execution = Static<typeof Execution>;
export type ExecutionEntry = Static<typeof ExecutionEntry>;
export type NodeDebug = Static<typeof NodeDebug>;
export type NodeOutput = Static<typeof NodeOutput>;
export type StatusResponse = Static<typeof StatusResponse>;
