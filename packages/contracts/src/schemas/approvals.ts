import Type, { type Static } from 'typebox';
import { AnyJson, CLOSED, Id, nullable, oneOf, pageQuery, Time } from './common.js';

export const ListApprovalsQuery = Type.Object({ workspaceId: Id, ...pageQuery() });

/** Body of POST /api/approvals/submit: exactly one of `approved` and `decision`. */
export const SubmitApprovalBody = Type.Object(
  {
    executionId: Id,
    nodeId: Type.String({ minLength: 1, maxLength: 64 }),
    approved: Type.Optional(Type.Boolean({ description: 'true is the choice approved, false is rejected' })),
    decision: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'The name of a choice' })),
    comment: Type.Optional(Type.String({ maxLength: 10_000 })),
  },
  CLOSED,
);

/** Body of POST /api/executions/{id}/nodes/{nodeId}/complete. */
export const CompleteHumanBody = Type.Object({ data: AnyJson }, CLOSED);

/** An open approval: one entry per wait. */
export const ApprovalEntry = Type.Object({
  id: Type.String({ format: 'uuid', description: "The run's id" }),
  currentNodeId: Type.String({ description: 'The approval node' }),
  workflowId: Id,
  workflowName: nullable(Type.String({ description: 'Null once the workflow is deleted' })),
  message: Type.String(),
  choices: Type.Array(Type.String()),
  waitingSince: Time,
});

/** Answer of everything that answers a wait. */
export const RecordedAnswer = Type.Object({
  executionId: Id,
  status: oneOf(['running']),
  message: Type.String(),
});

export type ApprovalEntry = Static<typeof ApprovalEntry>;
export type RecordedAnswer = Static<typeof RecordedAnswer>;
export type SubmitApprovalBody = Static<typeof SubmitApprovalBody>;
