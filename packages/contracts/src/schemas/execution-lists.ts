import Type, { type Static } from 'typebox';
import { EXECUTION_MODES, EXECUTION_SOURCES, EXECUTION_STATUSES } from '../execution-status.ts';
import { CLOSED, Id, oneOf, oneOrSeveralOf, type Page, pageQuery, severalOf, Time, TimeRange } from './common.ts';
import { Execution } from './executions.ts';
import { StatusCounts } from './monitoring.ts';
import { metadataFilter, tagBodyFilter, tagFilter } from './start-options.ts';

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

const { resultOmitted: _resultOmitted, ...entryMembers } = Execution.properties;
/** The members of a run in a list that `fields` chooses from. */
const ENTRY_FIELDS = Object.keys(entryMembers).filter(
  (name): name is keyof typeof entryMembers => name in entryMembers,
);

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

const NO_EFFECT = { description: 'As in lists, but without effect: an export has all matching runs' } as const;

/** The paging of lists as an export takes it: clients send the query of their list to both. */
const ignoredPaging = {
  limit: Type.Optional(Type.Integer({ minimum: 1, ...NO_EFFECT })),
  offset: Type.Optional(Type.Integer({ minimum: 0, ...NO_EFFECT })),
  includeTotal: Type.Optional(Type.Boolean(NO_EFFECT)),
  cursor: Type.Optional(Type.String(NO_EFFECT)),
};

/** The query of GET /api/executions/export: all matching runs, in the list's order. */
export const ExportExecutionsQuery = Type.Object({
  workspaceId: Id,
  workflowId: Type.Optional(Id),
  format: oneOf(['csv', 'json']),
  ...filterFields,
  ...orderFields,
  ...ignoredPaging,
});

/** The query of GET /api/executions. */
export const ListExecutionsQuery = Type.Object({
  workspaceId: Id,
  workflowId: Type.Optional(Id),
  ...filterFields,
  ...orderFields,
  ...viewFields,
  ...pageQuery(),
});

const { search: _search, errorContains: _errorContains, ...countedFilters } = filterFields;

/** The query of GET /api/executions/histogram: the filters of a list without its searches for text. */
export const ExecutionHistogramQuery = Type.Object({
  workspaceId: Id,
  workflowId: Type.Optional(Id),
  ...countedFilters,
});

/** How many runs started when, by status. */
export const ExecutionHistogram = Type.Object({
  workspaceId: Id,
  from: Time,
  to: Time,
  bucketSeconds: Type.Integer(),
  isComplete: Type.Boolean({ description: 'Whether all runs were counted; otherwise the last 20,000 of them' }),
  statuses: StatusCounts,
  buckets: Type.Array(Type.Object({ from: Time, statuses: StatusCounts })),
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

/** Which runs of a workspace: the filters of a list, apart from order, view and paging. */
export type ExecutionFilter = Readonly<
  Omit<Static<typeof ListExecutionsQuery>, keyof Page | keyof typeof orderFields | keyof typeof viewFields>
>;
/** What a list shows of each run. */
export type EntryView = Readonly<Pick<Static<typeof ListExecutionsQuery>, 'fields' | 'progress'>>;
export type StopManyBody = Static<typeof StopManyBody>;
export type ListExecutionsQuery = Static<typeof ListExecutionsQuery>;
export type ExportExecutionsQuery = Static<typeof ExportExecutionsQuery>;
export type ExecutionHistogramQuery = Static<typeof ExecutionHistogramQuery>;
export type ExecutionHistogram = Static<typeof ExecutionHistogram>;
export type ListWorkflowExecutionsQuery = Static<typeof ListWorkflowExecutionsQuery>;
