import Type, { type Static } from 'typebox';
import { Id, Time } from './common.ts';

const Usage = {
  calls: Type.Integer({ description: 'Requests to the model' }),
  inputTokens: Type.Integer(),
  outputTokens: Type.Integer(),
};

/** What nodes of a workspace used of language models in a period, altogether and by model. */
export const AiUsage = Type.Object({
  workspaceId: Id,
  from: Time,
  to: Time,
  ...Usage,
  models: Type.Array(Type.Object({ model: Type.String(), ...Usage })),
});

export type AiUsage = Static<typeof AiUsage>;
