import type { ExecutionMode, ExecutionSource } from '@deckhand/contracts';
import type { RunPeriod } from '../../api/run-filter.ts';
import { i18n } from '../../language/i18n.ts';

/** What starts a run, in words. */
export const SOURCES: Readonly<Record<ExecutionSource, string>> = {
  api: i18n.t('API'),
  editor: i18n.t({ id: 'tool: Editor', message: 'Editor' }),
  webhook: i18n.t('Webhook'),
  schedule: i18n.t('Schedule'),
  rerun: i18n.t({ id: 'noun: Re-run', message: 'Re-run' }),
  workflow: i18n.t('Workflow'),
  error: i18n.t('Error workflow'),
  event: i18n.t('Event'),
};

/** The modes of a run, in words. */
export const MODES: Readonly<Record<ExecutionMode, string>> = {
  normal: i18n.t({ id: 'mode: Normal', message: 'Normal' }),
  test: i18n.t({ id: 'mode: Test', message: 'Test' }),
  debug: i18n.t({ id: 'mode: Debug', message: 'Debug' }),
  sandbox: i18n.t({ id: 'mode: Sandbox', message: 'Sandbox' }),
};

/** The periods of a list, in words. */
export const PERIODS: Readonly<Record<RunPeriod, string>> = {
  '15m': i18n.t('Last 15 minutes'),
  '1h': i18n.t('Last hour'),
  '24h': i18n.t('Last 24 hours'),
  today: i18n.t('Today'),
  yesterday: i18n.t('Yesterday'),
  '7d': i18n.t('Last 7 days'),
};
