import Type, { type Static } from 'typebox';
import { AnyJson, CLOSED, Id, pageQuery } from './common.js';

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

export type SubmitApprovalBody = Static<typeof SubmitApprovalBody>;
