import Type, { type Static } from 'typebox';
import { CLOSED, nullable, RunsAtOnce } from './common.ts';

const RunsPerMinute = nullable(
  Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'null means no limit' }),
);
const Bytes = nullable(
  Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'null means no limit' }),
);
const Tokens = nullable(
  Type.Integer({
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'Tokens of language models in a month of UTC; null means no limit',
  }),
);
const MicroUsd = nullable(
  Type.Integer({
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'Costs of language models in a month of UTC, in micro-dollars; null means no limit',
  }),
);
const Days = nullable(Type.Integer({ minimum: 1, maximum: 36_500, description: 'null keeps it forever' }));

const ALWAYS_SAID = { executionsPerMinute: RunsPerMinute, storageQuotaBytes: Bytes };

/** What an administrator allows a workspace. */
export const WorkspaceLimits = Type.Object(
  {
    ...ALWAYS_SAID,
    maxConcurrentExecutions: RunsAtOnce,
    modelTokensPerMonth: Tokens,
    modelMicroUsdPerMonth: MicroUsd,
  },
  CLOSED,
);

/** A change of it. Leaving one out lifts no limit: two are always said, those that came later stay as they are. */
export const WorkspaceLimitsBody = Type.Object(
  {
    ...ALWAYS_SAID,
    maxConcurrentExecutions: Type.Optional(RunsAtOnce),
    modelTokensPerMonth: Type.Optional(Tokens),
    modelMicroUsdPerMonth: Type.Optional(MicroUsd),
  },
  CLOSED,
);

/** What a workspace uses of it. */
export const WorkspaceUsage = Type.Object({
  storedBytes: Type.Integer({ minimum: 0, description: 'Inputs, outputs and results of its runs' }),
});

/** Usage and limits of a workspace. */
export const WorkspaceUsageAndLimits = Type.Object({
  ...WorkspaceUsage.properties,
  modelTokensThisMonth: Type.Integer({
    minimum: 0,
    description: 'Tokens of responses, and reserved ones of requests without a response',
  }),
  modelMicroUsdThisMonth: Type.Integer({
    minimum: 0,
    description:
      'Cost of responses, and what is reserved for requests without one, in micro-dollars; calls of models without a price are left out',
  }),
  ...WorkspaceLimits.properties,
});

/** Settings of the whole instance. */
export const InstanceSettings = Type.Object(
  {
    /** Finished runs older than this lose outputs and trigger data. */
    dataRetentionDays: Days,
    /** Finished runs older than this go altogether. */
    runRetentionDays: Days,
    /** Limits that a new workspace begins with. */
    defaultExecutionsPerMinute: RunsPerMinute,
    defaultStorageQuotaBytes: Bytes,
  },
  CLOSED,
);

/** A change of them: all are said. */
export const InstanceSettingsBody = Type.Object({ ...InstanceSettings.properties }, CLOSED);

export type WorkspaceLimits = Static<typeof WorkspaceLimits>;
export type WorkspaceLimitsBody = Static<typeof WorkspaceLimitsBody>;
export type WorkspaceUsage = Static<typeof WorkspaceUsage>;
export type WorkspaceUsageAndLimits = Static<typeof WorkspaceUsageAndLimits>;
export type InstanceSettings = Static<typeof InstanceSettings>;
