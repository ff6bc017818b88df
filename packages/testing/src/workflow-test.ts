import type { JsonValue } from '@deckhand/contracts';
import Type, { type Static } from 'typebox';

const CLOSED = { additionalProperties: false } as const;
const AnyJson = Type.Unsafe<JsonValue>({});
const NodeId = Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$' });
const OutputsById = Type.Record(Type.String(), AnyJson);

/** What a node does instead of acting. */
const Mock = Type.Object(
  {
    /** It returns this. */
    output: Type.Optional(AnyJson),
    /** It continues at this output; by default at its only one. */
    handle: Type.Optional(Type.String()),
    /** It fails. */
    error: Type.Optional(
      Type.Object(
        { message: Type.String(), code: Type.Optional(Type.String()), retry: Type.Optional(Type.Boolean()) },
        CLOSED,
      ),
    ),
    /** It waits as it does in a run, and gets this answer: a decision, the data of a form, an event. */
    answer: Type.Optional(AnyJson),
    /** The answer comes after so many seconds. */
    after: Type.Optional(Type.Number({ minimum: 0, maximum: 31_536_000 })),
  },
  { ...CLOSED, minProperties: 1 },
);

/** A test of a workflow: what its run gets, and what has to come of it. */
export const WorkflowTest = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 200 }),
    input: Type.Optional(Type.Record(Type.String(), AnyJson)),
    trigger: Type.Optional(NodeId),
    variables: Type.Optional(Type.Record(Type.String(), Type.String())),
    now: Type.Optional(Type.String({ description: 'ISO 8601' })),
    /** A list has a mock for each call of the node, the last one for the calls after it. */
    mocks: Type.Optional(
      Type.Record(Type.String(), Type.Union([Mock, Type.Array(Mock, { minItems: 1, maxItems: 1_000 })])),
    ),
    expect: Type.Optional(
      Type.Object(
        {
          status: Type.Optional(Type.Union([Type.Literal('success'), Type.Literal('failed'), Type.Literal('waiting')])),
          path: Type.Optional(Type.Array(NodeId, { maxItems: 10_000 })),
          outputs: Type.Optional(OutputsById),
          result: Type.Optional(AnyJson),
          error: Type.Optional(
            Type.Object(
              {
                node: Type.Optional(NodeId),
                code: Type.Optional(Type.String()),
                message: Type.Optional(Type.String()),
              },
              CLOSED,
            ),
          ),
          seconds: Type.Optional(Type.Number({ minimum: 0 })),
        },
        CLOSED,
      ),
    ),
  },
  CLOSED,
);

export type WorkflowTest = Static<typeof WorkflowTest>;
export type Mock = Static<typeof Mock>;
