const MINUTE_MS = 60_000;

/** The periods that can be selected. */
export const PERIODS = [
  { value: 'hour', label: 'Last hour', ms: 60 * MINUTE_MS },
  { value: 'day', label: 'Last day', ms: 24 * 60 * MINUTE_MS },
  { value: 'week', label: 'Last week', ms: 7 * 24 * 60 * MINUTE_MS },
] as const;

/** One of the periods. */
export type Period = (typeof PERIODS)[number];
