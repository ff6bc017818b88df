import Type, { type Static } from 'typebox';
import { Id, nullable, Time } from './common.ts';
import { RunStatsQuery } from './monitoring.ts';

const Usage = {
  calls: Type.Integer({ description: 'Requests to the model' }),
  inputTokens: Type.Integer(),
  outputTokens: Type.Integer(),
  costMicroUsd: nullable(Type.Integer(), {
    description: 'In micro-dollars, of the calls whose cost is known; null if it is known of none',
  }),
  callsWithoutCost: Type.Integer({
    description: 'Calls whose cost is unknown: the model has no price, or there was no response with tokens',
  }),
};

/** A period, and whose calls in it are summed. */
export const AiUsageQuery = Type.Object({
  ...RunStatsQuery.properties,
  workflowId: Type.Optional({ ...Id, description: 'Only calls of runs of this workflow' }),
  executionId: Type.Optional({ ...Id, description: 'Only calls of this run' }),
});

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

export type AiUsageQuery = Static<typeof AiUsageQuery>;
export type AiUsage = Static<typeof AiUsage>;
