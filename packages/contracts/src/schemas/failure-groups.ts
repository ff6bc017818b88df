import Type, { type Static } from 'typebox';
import { CLOSED, Id, nullable, oneOf, pageQuery, Time } from './common.ts';

export const FAILURE_GROUP_STATES = ['open', 'ignored', 'resolved'] as const;

const counts = {
  count: Type.Integer({
    description: 'Failures that were seen; those of runs that were deleted since are counted, too',
  }),
  firstSeenAt: Time,
  lastSeenAt: Time,
};

const FailureGroupVersion = Type.Object({
  workflowVersionId: Id,
  number: nullable(Type.Integer(), { description: 'Null after the workflow was deleted' }),
  ...counts,
});

const FailureGroupWorkflow = Type.Object({
  workflowId: Id,
  workflowName: nullable(Type.String({ description: 'The current name; null after it was deleted' })),
  versions: Type.Array(FailureGroupVersion, { description: 'The latest failure first' }),
});

/** Runs of a workspace that failed alike. */
export const FailureGroup = Type.Object({
  id: Id,
  workspaceId: Id,
  state: oneOf(FAILURE_GROUP_STATES, {
    description: '`resolved` becomes `open` by itself when a run fails alike after that',
  }),
  stateChangedAt: nullable(Time),
  nodeType: nullable(Type.String(), { description: 'The type of the node that failed; null if it was the whole run' }),
  code: nullable(Type.String(), {
    description: 'Null for the group of failures that came when the workspace had as many groups as it may have',
  }),
  message: Type.String({ description: 'With placeholders for what differs from run to run, such as `<number>`' }),
  ...counts,
  lastExecutionId: Type.String({ format: 'uuid', description: 'The run that failed last' }),
  workflows: Type.Array(FailureGroupWorkflow, {
    description: 'The workflows of the 50 versions that failed last, the latest failure first',
  }),
});

/** The query of GET /api/failure-groups. */
export const ListFailureGroupsQuery = Type.Object({
  workspaceId: Id,
  state: Type.Optional(oneOf(FAILURE_GROUP_STATES)),
  workflowId: Type.Optional(Id),
  ...pageQuery(100),
});

/** Body of PATCH /api/failure-groups/{id}. */
export const UpdateFailureGroupBody = Type.Object({ state: oneOf(FAILURE_GROUP_STATES) }, CLOSED);

export type FailureGroup = Static<typeof FailureGroup>;
export type FailureGroupState = FailureGroup['state'];
export type ListFailureGroupsQuery = Static<typeof ListFailureGroupsQuery>;
export type UpdateFailureGroupBody = Static<typeof UpdateFailureGroupBody>;
