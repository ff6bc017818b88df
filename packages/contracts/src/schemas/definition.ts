import Type, { type Static } from 'typebox';
import { NODE_ID_PATTERN } from '../formats.ts';
import type { JsonValue } from '../json.ts';
import { AnyObject, CLOSED, Id, oneOf, RunsAtOnce } from './common.ts';
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

const NodeId = Type.String({ pattern: NODE_ID_PATTERN.source });
const Handle = Type.String({ minLength: 1, maxLength: 64 });
const Seconds = (maximum: number) => Type.Number({ exclusiveMinimum: 0, maximum });

/** How often and how far apart a failed node is tried again. Delays in ms. */
export const Retry = Type.Object(
  {
    maxAttempts: Type.Integer({ minimum: 1, maximum: 10 }),
    delayMs: Type.Optional(Type.Integer({ minimum: 0, maximum: 86_400_000, default: 1_000 })),
    factor: Type.Optional(Type.Number({ minimum: 1, maximum: 10, default: 2 })),
    maxDelayMs: Type.Optional(Type.Integer({ minimum: 0, maximum: 86_400_000, default: 60_000 })),
  },
  CLOSED,
);

const Position = Type.Object({ x: Type.Number(), y: Type.Number() }, CLOSED);

/** One node of a definition. `parameters` are checked against the node type's own schema. */
export const NodeDefinition = Type.Object(
  {
    id: NodeId,
    type: Type.String({ minLength: 1, maxLength: 64 }),
    name: Type.Optional(Type.String({ maxLength: 200 })),
    parameters: Type.Optional(AnyObject),
    position: Type.Optional(Position),
    disabled: Type.Optional(
      Type.Boolean({
        description:
          'Passes its input on; a node with several outputs takes the `undecidedHandle` of its type, or none of them; a trigger does not fire',
      }),
    ),
    retry: Type.Optional(Retry),
    timeoutSeconds: Type.Optional(Seconds(86_400)),
    onInterrupt: Type.Optional(oneOf(['rerun', 'fail'], { default: 'rerun' })),
    onError: Type.Optional(oneOf(['stop', 'continue', 'branch'], { default: 'stop' })),
    mock: Type.Optional(Type.Unsafe<JsonValue>({ description: 'Its output in sandbox mode, where it does not run' })),
    credentialId: Type.Optional(Id),
  },
  CLOSED,
);

/** One edge: from a node's handle (or its only output) to a node. */
export const EdgeDefinition = Type.Object(
  { source: NodeId, target: NodeId, sourceHandle: Type.Optional(Handle), targetHandle: Type.Optional(Handle) },
  CLOSED,
);

const NoteSide = (side: string) =>
  Type.Optional(Type.Number({ minimum: 40, maximum: 10_000, description: `Its ${side} on the canvas, in px` }));

/** A note on the canvas of the editor, for people. Runs know nothing of it. */
export const NoteDefinition = Type.Object(
  {
    id: NodeId,
    text: Type.String({ maxLength: MAX_NOTE_TEXT }),
    position: Position,
    width: NoteSide('width'),
    height: NoteSide('height'),
    color: Type.Optional(oneOf(NOTE_COLORS, { default: 'yellow' })),
  },
  CLOSED,
);

/** The notes of a definition. */
export const Notes = Type.Array(NoteDefinition, {
  maxItems: MAX_NOTES,
  description: 'Notes on the canvas of the editor. Runs know nothing of them',
});

/** Most events that a workflow names to stop its runs. */
export const MAX_CANCEL_RULES = 5;

/** An event that stops the unfinished runs of the workflow. */
export const CancelRule = Type.Object(
  {
    name: Type.String({ pattern: EVENT_NAME_PATTERN, description: 'The name of the event' }),
    key: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1_000,
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
      }),
    ),
    title: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'Shown to people; by default the name of the workflow',
      }),
    ),
    description: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 4_000,
        description: 'What it does and when to use it; by default the description of the workflow',
      }),
    ),
    readOnlyHint: hint('It changes nothing'),
    destructiveHint: hint('It may delete or overwrite something; clients assume so unless told otherwise'),
    idempotentHint: hint('A second call with the same arguments changes nothing more'),
    openWorldHint: hint('It reaches systems outside; clients assume so unless told otherwise'),
  },
  CLOSED,
);

/** What holds for the whole workflow. */
export const WorkflowSettings = Type.Object(
  {
    timeoutSeconds: Type.Optional(Seconds(MAX_TIMEOUT_SECONDS)),
    rateLimit: Type.Optional(
      Type.Object(
        { max: Type.Integer({ minimum: 1 }), windowSeconds: Type.Integer({ minimum: 1, maximum: 86_400 }) },
        CLOSED,
      ),
    ),
    maxConcurrentExecutions: Type.Optional(RunsAtOnce),
    cancelOn: Type.Optional(
      Type.Array(CancelRule, {
        maxItems: MAX_CANCEL_RULES,
        description: 'Events that stop unfinished runs of the workflow',
      }),
    ),
    mcp: Type.Optional(ToolSettings),
    concurrency: Type.Optional(WorkflowConcurrency),
  },
  CLOSED,
);

/** A workflow's definition: what a version holds. */
export const Definition = Type.Object(
  {
    nodes: Type.Array(NodeDefinition, { maxItems: MAX_NODES }),
    edges: Type.Array(EdgeDefinition, { maxItems: MAX_EDGES }),
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
