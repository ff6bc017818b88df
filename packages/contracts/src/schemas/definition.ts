import Type, { type Static } from 'typebox';
import { NODE_ID_PATTERN } from '../formats.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import { AnyObject, CLOSED, oneOf, RunsAtOnce, SINCE } from './common.ts';
import { EVENT_NAME_PATTERN } from './events.ts';
import { MAX_TIMEOUT_SECONDS, WorkflowConcurrency } from './start-options.ts';

/** Most nodes a definition may have. */
export const MAX_NODES = 5_000;
/** Most edges a definition may have. */
export const MAX_EDGES = 20_000;
/** Most notes a definition may have. */
export const MAX_NOTES = 100;
/** Most characters of a note. */
export const MAX_NOTE_TEXT = 4_000;
/** The colors of notes. */
export const NOTE_COLORS = ['yellow', 'orange', 'red', 'green', 'blue', 'purple', 'gray'] as const;
/** `settings.timeoutSeconds` when a definition has none. */
export const DEFAULT_TIMEOUT_SECONDS = 3_600;

const seconds = (maximum: number, description: string, example: number) =>
  Type.Number({ exclusiveMinimum: 0, maximum, description, examples: [example] });
const nodeId = (description: string, example: string) =>
  Type.String({ pattern: NODE_ID_PATTERN.source, description, examples: [example] });
const handle = (description: string, example: string) =>
  Type.String({ minLength: 1, maxLength: 64, description, examples: [example] });

/** How often and how far apart a failed node is tried again. Delays in ms. */
export const Retry = Type.Object(
  {
    maxAttempts: Type.Integer({
      minimum: 1,
      maximum: 10,
      description: 'Maximum number of attempts, including the first',
      examples: [3],
    }),
    delayMs: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 86_400_000,
        default: 1_000,
        description: 'Delay before the second attempt, in ms. One of more than 5 s occupies no worker',
        examples: [500],
      }),
    ),
    factor: Type.Optional(
      Type.Number({
        minimum: 1,
        maximum: 10,
        default: 2,
        description: 'Multiplies the delay after each attempt',
        examples: [1.5],
      }),
    ),
    maxDelayMs: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 86_400_000,
        default: 60_000,
        description: 'Maximum delay between two attempts, in ms',
        examples: [600_000],
      }),
    ),
  },
  {
    ...CLOSED,
    description: 'Tries the node again after a failure that can be retried: the page of its type lists them',
  },
);

const Position = Type.Object(
  {
    x: Type.Number({ description: 'From the left, in px', examples: [240] }),
    y: Type.Number({ description: 'From the top, in px', examples: [80] }),
  },
  { ...CLOSED, description: 'Place on the canvas of the editor. Runs do not use it' },
);

/** One node of a definition. `parameters` are checked against the node type's own schema. */
export const NodeDefinition = Type.Object(
  {
    id: nodeId('Names the node in edges, expressions and records of runs; unique in the definition', 'charge'),
    type: Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'The node type, such as those of `GET /api/node-types`',
      examples: ['http'],
    }),
    name: Type.Optional(
      Type.String({ maxLength: 200, description: 'Shown to people instead of the id', examples: ['Charge the card'] }),
    ),
    parameters: Type.Optional(
      Type.Unsafe<JsonObject>({
        ...AnyObject,
        description: 'What the node does: the page of its type lists them. Texts may contain expressions',
        examples: [{ url: 'https://api.example.com/orders/{{ $trigger.order }}' }],
      }),
    ),
    position: Type.Optional(Position),
    disabled: Type.Optional(
      Type.Boolean({
        description:
          'By default false. A disabled node passes its input on; a node with several outputs takes the `undecidedHandle` of its type, or none of them; a trigger does not fire',
      }),
    ),
    retry: Type.Optional(Retry),
    timeoutSeconds: Type.Optional(
      seconds(
        86_400,
        'Time limit of each attempt, in seconds; then it fails with `NODE_TIMEOUT`. Triggers, containers and most nodes that wait have none: saving warns of it',
        30,
      ),
    ),
    onInterrupt: Type.Optional(
      oneOf(['rerun', 'fail'], {
        default: 'rerun',
        description:
          'If its worker dies while the node runs: run it again, or fail with `NODE_INTERRUPTED`, for effects that must not happen twice',
      }),
    ),
    onError: Type.Optional(
      oneOf(['stop', 'continue', 'branch'], {
        default: 'stop',
        description:
          'When the last attempt has failed: fail the run, continue with the output `{ error }`, or take only edges with the `sourceHandle` `error`, with that output',
      }),
    ),
    mock: Type.Optional(
      Type.Unsafe<JsonValue>({
        description: 'Its output in sandbox mode, where it does not run',
        examples: [{ status: 201, headers: {}, body: { id: 'A-17' } }],
      }),
    ),
    credentialId: Type.Optional(
      Type.String({
        format: 'uuid',
        description: 'The credential that the node uses, of a type that its page lists',
        examples: ['01890a5d-ac96-774b-bcce-b302099a8057'],
      }),
    ),
  },
  CLOSED,
);

/** One edge: from a node's handle (or its only output) to a node. */
export const EdgeDefinition = Type.Object(
  {
    source: nodeId('The node that runs before', 'valid'),
    target: nodeId('The node that runs after it', 'charge'),
    sourceHandle: Type.Optional(
      handle('The output of `source`, if it has several; `error` is that of `onError: "branch"`', 'true'),
    ),
    targetHandle: Type.Optional(
      handle(
        'The input of `target`. It is kept for editors that draw several: runs do not use it, because every node has one input',
        'in',
      ),
    ),
  },
  CLOSED,
);

const NoteSide = (side: string) =>
  Type.Optional(
    Type.Number({ minimum: 40, maximum: 10_000, description: `Its ${side} on the canvas, in px`, examples: [240] }),
  );

/** A note on the canvas of the editor, for people. Runs know nothing of it. */
export const NoteDefinition = Type.Object(
  {
    id: nodeId('Names the note; unique among notes', 'note-1'),
    text: Type.String({ maxLength: MAX_NOTE_TEXT, description: 'What it says', examples: ['Ask finance first'] }),
    position: Position,
    width: NoteSide('width'),
    height: NoteSide('height'),
    color: Type.Optional(oneOf(NOTE_COLORS, { default: 'yellow', description: 'Its color on the canvas' })),
  },
  CLOSED,
);

/** The notes of a definition. */
export const Notes = Type.Array(NoteDefinition, {
  maxItems: MAX_NOTES,
  description: 'Notes on the canvas of the editor. Runs know nothing of them',
  [SINCE]: '0.2.0',
});

/** Most events that a workflow names to stop its runs. */
export const MAX_CANCEL_RULES = 5;

/** An event that stops the unfinished runs of the workflow. */
export const CancelRule = Type.Object(
  {
    name: Type.String({
      pattern: EVENT_NAME_PATTERN,
      description: 'The name of the event',
      examples: ['order.cancelled'],
    }),
    key: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1_000,
        examples: ['{{ $trigger.order }}'],
        description:
          'The key of the event, an expression over `$trigger` of the run, such as `{{ $trigger.order }}`; without one, any event of the name. A run for which it has no value is not stopped',
      }),
    ),
  },
  CLOSED,
);

/** What the names of built-in tools begin with. The tools of workflows have other names. */
export const BUILT_IN_TOOL_PREFIX = 'deckhand_';
/** Maximum length of the name of a workflow's tool. */
export const MAX_TOOL_NAME = 55;
const hint = (description: string) => Type.Optional(Type.Boolean({ description }));

/** Makes a workflow a tool of the MCP server, while it is active. */
export const ToolSettings = Type.Object(
  {
    name: Type.Optional(
      Type.String({
        pattern: `^(?!${BUILT_IN_TOOL_PREFIX})[A-Za-z][A-Za-z0-9_-]{0,${MAX_TOOL_NAME - 1}}$`,
        description: 'The name of the tool; by default that of the workflow, in lower case with _',
        examples: ['refund_order'],
      }),
    ),
    title: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'Shown to people; by default the name of the workflow',
        examples: ['Refund an order'],
      }),
    ),
    description: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 4_000,
        description: 'What it does and when to use it; by default the description of the workflow',
        examples: ['Refunds a paid order. Use it after the customer has confirmed.'],
      }),
    ),
    readOnlyHint: hint('It changes nothing'),
    destructiveHint: hint('It may delete or overwrite something; clients assume so unless told otherwise'),
    idempotentHint: hint('A second call with the same arguments changes nothing more'),
    openWorldHint: hint('It reaches systems outside; clients assume so unless told otherwise'),
  },
  {
    ...CLOSED,
    description: 'Makes the workflow a tool of the MCP server, while it is active',
    [SINCE]: '0.2.0',
  },
);

/** What holds for the whole workflow. */
export const WorkflowSettings = Type.Object(
  {
    timeoutSeconds: Type.Optional(
      seconds(
        MAX_TIMEOUT_SECONDS,
        `Time limit of a run, in seconds, including rests; then it ends as \`timeout\`. Without it, the limit is ${DEFAULT_TIMEOUT_SECONDS} s of the time that a worker holds the run`,
        86_400,
      ),
    ),
    rateLimit: Type.Optional(
      Type.Object(
        {
          max: Type.Integer({ minimum: 1, description: 'Maximum number of requests in a window', examples: [100] }),
          windowSeconds: Type.Integer({
            minimum: 1,
            maximum: 86_400,
            description: 'Length of a window, in seconds',
            examples: [60],
          }),
        },
        {
          ...CLOSED,
          description:
            "Limits the requests to all of the workflow's webhooks together; further ones get a 429 `RATE_LIMITED` with `Retry-After`",
        },
      ),
    ),
    maxConcurrentExecutions: Type.Optional(RunsAtOnce),
    cancelOn: Type.Optional(
      Type.Array(CancelRule, {
        maxItems: MAX_CANCEL_RULES,
        description: 'Events that stop unfinished runs of the workflow',
        [SINCE]: '0.2.0',
      }),
    ),
    mcp: Type.Optional(ToolSettings),
    concurrency: Type.Optional(Type.Unsafe<WorkflowConcurrency>({ ...WorkflowConcurrency, [SINCE]: '0.2.0' })),
  },
  { ...CLOSED, description: 'What holds for the whole workflow' },
);

/** A workflow's definition: what a version holds. */
export const Definition = Type.Object(
  {
    nodes: Type.Array(NodeDefinition, {
      maxItems: MAX_NODES,
      description: 'What the workflow does. At least one is a trigger',
    }),
    edges: Type.Array(EdgeDefinition, {
      maxItems: MAX_EDGES,
      description: 'The order of nodes. They must not form a cycle: a `loop` node repeats others',
    }),
    settings: Type.Optional(WorkflowSettings),
    notes: Type.Optional(Notes),
  },
  CLOSED,
);

export type Definition = Static<typeof Definition>;
export type CancelRule = Static<typeof CancelRule>;
export type NodeDefinition = Static<typeof NodeDefinition>;
export type EdgeDefinition = Static<typeof EdgeDefinition>;
export type NoteDefinition = Static<typeof NoteDefinition>;
export type ToolSettings = Static<typeof ToolSettings>;
export type RetrySettings = Static<typeof Retry>;
