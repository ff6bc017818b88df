import Type, { type Static } from 'typebox';
import { CLOSED, ErrorResponse, Id } from './common.ts';
import { ExecuteResponse, startFields } from './executions.ts';

/** Most items of a batch. */
export const MAX_BATCH_ITEMS = 1_000;

/** Pattern of an idempotency key: visible ASCII. */
export const IDEMPOTENCY_KEY_PATTERN = '^[\\x21-\\x7e]{1,255}$';

/** One start of a batch. */
export const ExecuteBatchItem = Type.Object(
  {
    ...startFields,
    idempotencyKey: Type.Optional(
      Type.String({
        pattern: IDEMPOTENCY_KEY_PATTERN,
        description:
          'What the header `Idempotency-Key` is for a single start. Without it, the header of the batch and the position of the item count',
      }),
    ),
  },
  CLOSED,
);

/** Body of POST /api/workflows/{id}/execute/batch. */
export const ExecuteBatchBody = Type.Array(ExecuteBatchItem, { minItems: 1, maxItems: MAX_BATCH_ITEMS });

/** An item that started a run, or whose key names an earlier run. */
export const ExecuteBatchStarted = Type.Object({
  status: Type.Literal(202),
  executionId: Id,
  message: Type.String(),
  isRepeated: Type.Boolean({ description: 'Whether an earlier item or request with the same key started the run' }),
  isDebounced: ExecuteResponse.properties.isDebounced,
});

/** An item that was refused: the body of the error that a single start would have been refused with. */
export const ExecuteBatchRefused = Type.Object({
  status: Type.Integer({ description: 'The HTTP status that a single start would have had' }),
  error: ErrorResponse.properties.error,
  code: ErrorResponse.properties.code,
  details: ErrorResponse.properties.details,
  truncated: ErrorResponse.properties.truncated,
  executionId: ErrorResponse.properties.executionId,
});

/** Response of POST /api/workflows/{id}/execute/batch. */
export const ExecuteBatchResponse = Type.Object({
  accepted: Type.Integer({ description: 'Number of items with a run' }),
  refused: Type.Integer(),
  items: Type.Array(Type.Union([ExecuteBatchStarted, ExecuteBatchRefused]), {
    description: 'A result for each item, in their order',
  }),
  workers: ExecuteResponse.properties.workers,
  warning: ExecuteResponse.properties.warning,
});

export type ExecuteBatchItem = Static<typeof ExecuteBatchItem>;
export type ExecuteBatchResponse = Static<typeof ExecuteBatchResponse>;
