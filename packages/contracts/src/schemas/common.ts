import { type ErrorCode, ERRORS } from '../errors.ts';
import Type, { type Static, type TSchema } from 'typebox';
import { EXECUTION_STATUSES, NODE_STATUSES } from '../execution-status.ts';
import type { JsonObject, JsonValue } from '../json.ts';

/** Options of an object whose unknown members are issues. */
export const CLOSED = { additionalProperties: false } as const;

/** The keyword of a member with the version that added it; 0.1.0 had those without it. */
export const SINCE = 'x-since';

/** A UUIDv7, opaque to clients. */
export const Id = Type.String({ format: 'uuid', description: 'Opaque identifier' });

/** ISO 8601 in UTC with milliseconds. */
export const Time = Type.String({ format: 'date-time' });

/**
 * A time or a date of a request. The service also reads times without seconds or offset, and the basic format. `type`
 * is said outside as well, for forms and pages that show it.
 */
export function timeOrDate(description: string) {
  const anyOf = [Type.String({ format: 'date-time' }), Type.String({ format: 'date' })];
  return Type.Unsafe<string>({ type: 'string', anyOf, description });
}

const MIDNIGHT = 'ISO 8601; a date alone means its midnight, seconds are optional, and the default offset is UTC';

/** A time in a request; `toDate` reads it. */
export const GivenTime = timeOrDate(MIDNIGHT);

/** The same in a filter, which responses repeat: there, `date-time` is a promise to clients. */
const FilterTime = Type.String({ format: 'date-time', description: MIDNIGHT });

/** The time in a request at which something expires; `toExpiry` reads it. */
export const GivenExpiry = timeOrDate(
  'ISO 8601; a date alone means the end of that day, seconds are optional, and the default offset is UTC',
);

/** Bounds of a time; several hold together. */
export const TimeRange = Type.Object(
  {
    gte: Type.Optional(FilterTime),
    gt: Type.Optional(FilterTime),
    lte: Type.Optional(FilterTime),
    lt: Type.Optional(FilterTime),
  },
  CLOSED,
);

export type TimeRange = Static<typeof TimeRange>;

/** A string that is one of a list. */
export function oneOf<const T extends readonly string[]>(
  values: readonly [...T],
  options: { default?: T[number]; description?: string } = {},
) {
  return Type.Enum<[...T]>(values, options);
}

/** One or several of a list, in a query: separated by commas, or in parameters that are repeated. */
export function severalOf<const T extends readonly string[]>(values: readonly [...T], description: string) {
  return Type.Array(oneOf(values), { minItems: 1, description });
}

/** One or several of a list, in a body. */
export function oneOrSeveralOf<const T extends readonly string[]>(values: readonly [...T]) {
  return Type.Union([oneOf(values), Type.Array(oneOf(values), { minItems: 1 })]);
}

/** A schema or null. */
export function nullable<S extends TSchema>(schema: S, options: { description?: string } = {}) {
  return Type.Union([schema, Type.Null()], options);
}

/** How many runs of a workspace or workflow workers may hold at once. */
export const RunsAtOnce = nullable(Type.Integer({ minimum: 1, maximum: 2_147_483_647, examples: [5] }), {
  description:
    'Maximum number of runs that workers hold at the same time; further ones wait as pending. null means no limit',
});

/** Somebody who did something: shown to members of the workspace where it was done, also after the person left it. */
export const Person = Type.Object({ id: Id, name: Type.String(), email: Type.String() });

/** Who did something; null once the person is gone. */
export const KnownPerson = nullable(Person, { description: 'The person; null after the person was deleted' });

/** Any JSON value. */
export const AnyJson = Type.Unsafe<JsonValue>({});

/** Any JSON object. */
export const AnyObject = Type.Unsafe<JsonObject>({ type: 'object', additionalProperties: true });

/** An iteration of a loop, as responses show it. */
export const ShownIteration = nullable(Type.String(), {
  description: 'null outside loops, its number from "0" in a loop, "outer.inner" in nested ones',
});

export const ExecutionStatusSchema = oneOf(EXECUTION_STATUSES);
export const NodeStatusSchema = oneOf(NODE_STATUSES);

/** The keyword of a number in a query that is lowered to a maximum instead of refused. */
export const CLAMPED = 'x-clamped-to';

/** The query parameters of every list. `limitMax`: 500, or 100 for the runs of one workflow. */
export function pageQuery(limitMax = 500) {
  return {
    limit: Type.Integer({
      minimum: 1,
      default: 100,
      [CLAMPED]: limitMax,
      description: `At most ${limitMax}: a higher one counts as that, and the response says which was used`,
    }),
    offset: Type.Integer({ minimum: 0, maximum: 10_000_000, default: 0 }),
    includeTotal: Type.Boolean({ default: false }),
  };
}

/** A list's envelope. */
export function pageOf<S extends TSchema>(item: S) {
  return Type.Object({
    data: Type.Array(item),
    limit: Type.Integer(),
    offset: Type.Integer(),
    hasMore: Type.Boolean(),
    total: Type.Optional(Type.Integer()),
  });
}

/** The plain members of a list request, once parsed. */
export interface Page {
  /** Rows at most. */
  readonly limit: number;
  readonly offset: number;
  readonly includeTotal: boolean;
}

/** A list's envelope as a type. */
export interface PageOf<T> {
  readonly data: readonly T[];
  readonly limit: number;
  readonly offset: number;
  readonly hasMore: boolean;
  readonly total?: number;
}

/** The codes of errors. */
export const ErrorCodeSchema = oneOf(Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]], {
  description: 'For programs; /docs/errors/<code> of the instance says when it occurs, and whether to retry',
});

/** Every error's body. */
export const ErrorResponse = Type.Object({
  error: Type.String({ description: 'For people; the wording can change' }),
  code: ErrorCodeSchema,
  details: Type.Optional(Type.Unknown()),
  truncated: Type.Optional(Type.Literal(true)),
  required: Type.Optional(Type.String({ description: 'With INSUFFICIENT_SCOPE: the scope' })),
  hint: Type.Optional(Type.String()),
  executionId: Type.Optional(Type.String({ description: 'The run that the request made or is about' })),
  waitId: Type.Optional(Type.String({ description: 'With RESUME_PENDING: the wait whose answer is recorded' })),
  recorded: Type.Optional(
    Type.Unknown({ description: 'With ALREADY_DECIDED: how the wait ended; `by` is null if its time ended it' }),
  ),
  requestId: Type.String(),
});

export type Person = Static<typeof Person>;
export type ErrorResponse = Static<typeof ErrorResponse>;
