import { i18n } from '../../language/i18n.ts';

const MINUTE_MS = 60_000;

/** The periods that can be selected. `inSentence` is how other texts name them. */
export const PERIODS = [
  { value: 'hour', label: i18n.t('Last hour'), inSentence: i18n.t('last hour'), ms: 60 * MINUTE_MS },
  { value: 'day', label: i18n.t('Last day'), inSentence: i18n.t('last day'), ms: 24 * 60 * MINUTE_MS },
  { value: 'week', label: i18n.t('Last week'), inSentence: i18n.t('last week'), ms: 7 * 24 * 60 * MINUTE_MS },
] as const;

/** One of the periods. */
export type Period = (typeof PERIODS)[number];
