import Type, { type Static } from 'typebox';
import type { JsonValue } from '../json.ts';
import { AnyJson, CLOSED, Id, nullable, oneOf, pageQuery, ShownIteration, Time } from './common.ts';

/** The query of GET /api/approvals and GET /api/human-tasks. */
export const ListWaitsQuery = Type.Object({
  workspaceId: Id,
  canAnswer: Type.Boolean({ default: false, description: 'true leaves out what the caller may not answer' }),
  ...pageQuery(),
});

/** Which of several waits of a node is meant; without either, the only open one. */
const waitChoice = {
  iteration: Type.Optional(
    nullable(
      Type.Union([
        Type.Integer({ minimum: 0, maximum: 2_147_483_647 }),
        Type.String({ pattern: '^\\d{1,7}(\\.\\d{1,7}){0,19}$' }),
      ]),
      { description: 'The iteration of the loop that the node is in; "outer.inner" in nested ones' },
    ),
  ),
  waitId: Type.Optional(
    Type.String({ minLength: 1, maxLength: 400, description: 'The id of the wait, from the list of approvals' }),
  ),
};

/** Body of POST /api/approvals/submit: `approved` or `decision`, or both where they agree. */
export const SubmitApprovalBody = Type.Object(
  {
    executionId: Id,
    nodeId: Type.String({ minLength: 1, maxLength: 80 }),
    approved: Type.Optional(Type.Boolean({ description: 'true means the choice `approved`, false means `rejected`' })),
    decision: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'The name of a choice' })),
    comment: Type.Optional(Type.String({ maxLength: 10_000 })),
    ...waitChoice,
  },
  CLOSED,
);

/** Body of POST /api/executions/{id}/nodes/{nodeId}/complete. */
export const CompleteHumanBody = Type.Object({ data: AnyJson, ...waitChoice }, CLOSED);

/** An open approval: one entry per wait. */
export const ApprovalEntry = Type.Object({
  id: Type.String({ format: 'uuid', description: "The run's id" }),
  currentNodeId: Type.String({ description: 'The approval node' }),
  iteration: ShownIteration,
  waitId: Type.String({ description: 'The id of this wait' }),
  workflowId: Id,
  workflowName: nullable(Type.String({ description: 'null after the workflow was deleted' })),
  message: Type.String(),
  choices: Type.Array(Type.String()),
  waitingSince: Time,
  canAnswer: Type.Boolean({ description: 'Whether the caller may answer it' }),
});

/** An open form: one entry per wait. */
export const HumanTaskEntry = Type.Object({
  executionId: Id,
  nodeId: Type.String({ description: 'The human node' }),
  iteration: ShownIteration,
  waitId: Type.String({ description: 'The id of this wait' }),
  workflowId: Id,
  workflowName: nullable(Type.String({ description: 'null after the workflow was deleted' })),
  title: Type.String(),
  schema: Type.Unsafe<JsonValue>({ description: 'The JSON Schema of the form' }),
  waitingSince: Time,
  canAnswer: Type.Boolean({ description: 'Whether the caller may answer it' }),
});
export type HumanTaskEntry = Static<typeof HumanTaskEntry>;

/** Answer of everything that answers a wait. */
export const RecordedResponse = Type.Object({
  executionId: Id,
  status: oneOf(['running']),
  message: Type.String(),
});

/** Which wait of a node a body means; undefined where it does not say. */
export type WaitChoice = Pick<SubmitApprovalBody, 'iteration' | 'waitId'>;
export type ApprovalEntry = Static<typeof ApprovalEntry>;
export type RecordedResponse = Static<typeof RecordedResponse>;
export type SubmitApprovalBody = Static<typeof SubmitApprovalBody>;
