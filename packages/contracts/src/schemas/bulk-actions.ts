import Type, { type Static } from 'typebox';
import { ErrorCodeSchema, CLOSED, Id, KnownPerson, nullable, oneOf, pageQuery, Time } from './common.ts';
import { failureGroupFilter, StopManyBody } from './execution-lists.ts';

export const BULK_ACTIONS = ['stop', 'rerun', 'delete'] as const;
/** Which version a bulk action reruns. */
export const BULK_RERUN_VERSIONS = ['latest', 'active', 'original'] as const;
export const BULK_ACTION_STATUSES = ['running', 'finished', 'failed', 'aborted'] as const;

/** Maximum number of runs that a request may name. */
export const MAX_NAMED_RUNS = 1_000;
/** Maximum number of runs of a bulk action. */
export const MAX_BULK_RUNS = 100_000;
/** Maximum number of errors that a bulk action keeps: the first ones. */
export const MAX_BULK_ERRORS = 20;

const { workspaceId: _workspaceId, all: _all, ...filters } = StopManyBody.properties;

/** Which runs a bulk action is for: the filters of the run list. */
export const BulkFilter = Type.Object(
  { ...filters, ...failureGroupFilter },
  {
    ...CLOSED,
    description: 'The filters of the list of runs; an empty object, with `all: true`, means every run of the workspace',
  },
);

/** Body of POST /api/bulk-actions. Needs either `executionIds` or `filter`. */
export const CreateBulkActionBody = Type.Object(
  {
    workspaceId: Id,
    action: oneOf(BULK_ACTIONS, {
      description: '`stop` is for unfinished runs, `rerun` and `delete` for finished ones',
    }),
    executionIds: Type.Optional(Type.Array(Id, { minItems: 1, maxItems: MAX_NAMED_RUNS })),
    filter: Type.Optional(BulkFilter),
    all: Type.Optional(Type.Boolean({ description: 'Required with an empty filter' })),
    version: Type.Optional(
      oneOf(BULK_RERUN_VERSIONS, {
        description:
          'Of a rerun: the version that runs; `latest` by default. `active` is the version of the original run where the workflow has no active version',
      }),
    ),
    from: Type.Optional(
      oneOf(['start', 'failedNode'], {
        description:
          'Of a rerun: where it starts; `start` by default. With `failedNode`, outputs of the nodes before it are reused',
      }),
    ),
    ratePerSecond: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000,
        description: 'Runs per second at most; without it, as fast as possible',
      }),
    ),
  },
  CLOSED,
);

/** A run that a bulk action could not act on. */
export const BulkActionError = Type.Object({ executionId: Id, code: ErrorCodeSchema, message: Type.String() });

export const BulkAction = Type.Object({
  id: Id,
  workspaceId: Id,
  action: oneOf(BULK_ACTIONS),
  status: oneOf(BULK_ACTION_STATUSES, {
    description: '`failed`: the person who started it may no longer change runs of the workspace',
  }),
  filter: nullable(BulkFilter, { description: 'The filter that chose the runs; null if the request named them' }),
  version: nullable(oneOf(BULK_RERUN_VERSIONS)),
  from: nullable(oneOf(['start', 'failedNode'])),
  ratePerSecond: nullable(Type.Integer()),
  total: Type.Integer({ description: 'The number of runs that were chosen when it started' }),
  done: Type.Integer(),
  failed: Type.Integer({ description: 'Runs that it could not act on' }),
  skipped: Type.Integer({ description: 'Runs that needed nothing: they had ended, or were gone' }),
  errors: Type.Array(BulkActionError, { description: `The first ${MAX_BULK_ERRORS} runs that failed or were skipped` }),
  blockedBy: nullable(Type.String(), { description: 'The limit of the workspace that delays it' }),
  createdAt: Time,
  createdBy: Id,
  createdByUser: KnownPerson,
  finishedAt: nullable(Time),
});

/** Response to a dry run. */
export const BulkActionPreview = Type.Object({ total: Type.Integer({ description: 'The number of matching runs' }) });

/** The query of GET /api/bulk-actions. */
export const ListBulkActionsQuery = Type.Object({
  workspaceId: Id,
  status: Type.Optional(oneOf(BULK_ACTION_STATUSES)),
  ...pageQuery(),
});

export type BulkFilter = Static<typeof BulkFilter>;
export type CreateBulkActionBody = Static<typeof CreateBulkActionBody>;
export type BulkAction = Static<typeof BulkAction>;
export type BulkActionError = Static<typeof BulkActionError>;
export type ListBulkActionsQuery = Static<typeof ListBulkActionsQuery>;
