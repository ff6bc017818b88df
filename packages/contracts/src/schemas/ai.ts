import Type, { type Static } from 'typebox';
import { Id, nullable, Time } from './common.ts';

const Usage = {
  calls: Type.Integer({ description: 'Requests to the model' }),
  inputTokens: Type.Integer(),
  outputTokens: Type.Integer(),
};

/** What nodes of a workspace used of language models in a period, altogether, by model, by workflow and by day. */
export const AiUsage = Type.Object({
  workspaceId: Id,
  from: Time,
  to: Time,
  ...Usage,
  models: Type.Array(Type.Object({ model: Type.String(), ...Usage })),
  workflows: Type.Array(
    Type.Object({
      workflowId: Id,
      workflowName: nullable(Type.String({ description: 'null after the workflow was deleted' })),
      ...Usage,
    }),
  ),
  days: Type.Array(Type.Object({ day: Type.String({ description: 'Of UTC, such as 2026-11-28' }), ...Usage })),
});

export type AiUsage = Static<typeof AiUsage>;
