import Type, { type Static } from 'typebox';
import type { NodeStatus } from '../execution-status.ts';
import type { JsonValue } from '../json.ts';
import { AnyJson, CLOSED, NodeStatusSchema, nullable, pageQuery, ShownIteration, Time } from './common.ts';

/** Why a node, or an attempt of it, failed. */
export const NodeError = Type.Object({
  message: Type.String(),
  code: Type.String({ description: 'For programs; /docs/errors of the instance explains each code' }),
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
  outputBytes: Type.Integer({
    description: 'The size of the output as JSON; of a node in a loop, of the outputs of all its iterations together',
  }),
  outputOmitted: Type.Optional(
    Type.Boolean({
      description: 'The output is left out, because of its size or because the node is in a loop: …/output has it',
    }),
  ),
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

const ITERATION = '^\\d{1,7}(\\.\\d{1,7}){0,9}$';

/** The query of GET /api/executions/{id}/nodes/{nodeId}/output. */
export const ReadOutputQuery = Type.Object({
  iteration: Type.Optional(
    Type.String({
      pattern: ITERATION,
      description:
        'Its number from 0. In nested loops "outer.inner", or its position among the iterations of the node, from 0 and in the order of …/iterations',
    }),
  ),
});

/** Answer of GET /api/executions/{id}/nodes/{nodeId}/output. A nested loop's iteration is "outer.inner". */
export const NodeOutput = Type.Object({
  nodeId: Type.String(),
  iteration: ShownIteration,
  status: NodeStatusSchema,
  output: AnyJson,
});

/** The query of GET /api/executions/{id}/nodes/{nodeId}/iterations. */
export const ListIterationsQuery = Type.Object({
  status: Type.Optional(NodeStatusSchema),
  iteration: Type.Optional(
    Type.String({ pattern: ITERATION, description: 'Only this one: its number from 0, in nested loops "outer.inner"' }),
  ),
  ...pageQuery(),
});

/** How one iteration of a node in a loop went. */
export const IterationEntry = Type.Object({
  iteration: Type.String({ description: 'Its number from "0"; "outer.inner" in nested loops' }),
  status: NodeStatusSchema,
  startedAt: nullable(Time),
  finishedAt: nullable(Time),
  attempts: Type.Integer(),
  attemptHistory: Type.Optional(AttemptHistory),
  outputBytes: Type.Integer(),
  error: nullable(NodeError),
});
export type IterationEntry = Static<typeof IterationEntry>;

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
export type NodeCounts = Static<typeof NodeCounts>;
export type NodeProgress = Static<typeof NodeProgress>;
export type NodeDebug = Static<typeof NodeDebug>;
export type NodeOutput = Static<typeof NodeOutput>;
