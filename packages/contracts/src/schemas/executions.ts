import Type, { type Static } from 'typebox';
import type { JsonObject, JsonValue } from '../json.ts';
import { EXECUTION_MODES, EXECUTION_SOURCES, TEST_MODES } from '../execution-status.ts';
import {
  AnyJson,
  AnyObject,
  CLOSED,
  ExecutionStatusSchema,
  Id,
  KnownPerson,
  nullable,
  oneOf,
  pageOf,
  ShownIteration,
  Time,
} from './common.ts';
import { EventUrl } from './event-endpoints.ts';
import { NodeCounts, NodeError, NodeProgress } from './node-runs.ts';
import { Metadata, RequestOptions, StartOptions, Tags } from './start-options.ts';

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

/** Query of POST /api/workflows/{id}/execute, and of batches. */
export const ExecuteQuery = Type.Object({
  workspaceId: Type.Optional({
    ...Id,
    description: 'Needed for a slug that workflows of several workspaces have',
  }),
});

/** Body of POST /api/workflows/{id}/execute; all of it is optional. */
export const ExecuteBody = Type.Object(
  { ...startFields, untilNodeId: Type.Optional(UntilNode), mocks: Type.Optional(Mocks) },
  CLOSED,
);

/** Which iterations of finished loops a rerun repeats. */
const RERUN_ITERATIONS = ['all', 'failed'] as const;

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
    iterations: Type.Optional(
      oneOf(RERUN_ITERATIONS, {
        description:
          'Which iterations of loops around `fromNodeId` continue from it: all of a loop that finished, or those in which it failed. With `failed`, `fromNodeId` is by default the only node that failed in a loop',
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

/** Why a run failed, and at which node. */
export const ExecutionError = Type.Object({
  message: Type.String(),
  nodeId: nullable(Type.String()),
  code: NodeError.properties.code,
});

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
  currentNodeId: nullable(Type.String(), {
    description:
      'While the run waits for a person: the node of that wait, the oldest if there are several. Otherwise a node that runs, or else one that waits; null when there is none',
  }),
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
    rerunIterations: Type.Optional(
      Type.String({ description: '`failed`: of loops around that node, the iterations in which it failed run again' }),
    ),
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

/** Answer of GET /api/executions/{id}/result. */
export const ExecutionResult = Type.Object({
  executionId: Id,
  result: Type.Unsafe<JsonValue>({ description: 'The result that its Terminal node set; null while there is none' }),
});

export type ExecuteBody = Static<typeof ExecuteBody>;
export type RerunBody = Static<typeof RerunBody>;
export type ExecuteResponse = Static<typeof ExecuteResponse>;
export type WorkerCounts = Static<typeof WorkerCounts>;
export type Execution = Static<typeof Execution>;
export type ExecutionEntry = Static<typeof ExecutionEntry>;
export type StatusResponse = Static<typeof StatusResponse>;
