import type { BulkAction } from '@deckhand/contracts';
import { i18n } from '../../language/i18n.ts';

/** Describes what a bulk action does. */
export function describeAction({ action, total: count }: Pick<BulkAction, 'action' | 'total'>): string {
  switch (action) {
    case 'stop':
      return i18n.t('Stop {count, plural, one {# run} other {# runs}}', { count });
    case 'rerun':
      return i18n.t('Re-run {count, plural, one {# run} other {# runs}}', { count });
    case 'delete':
      return i18n.t('Delete {count, plural, one {# run} other {# runs}}', { count });
  }
}

/** Describes how far a bulk action has come, apart from runs that it acted on. */
export function describeRest({ failed, skipped, blockedBy, errors }: BulkAction): string {
  const parts = [
    failed > 0 ? i18n.t('{failed, number} failed', { failed }) : '',
    skipped > 0 ? i18n.t('{skipped, number} skipped', { skipped }) : '',
    blockedBy === null ? '' : i18n.t('Delayed by a limit of the workspace'),
    errors[0]?.message ?? '',
  ];
  return parts.filter((part) => part !== '').join(' · ');
}

/** Describes how a bulk action acts on its runs. */
export function describeOptions({ action, version, from, ratePerSecond }: BulkAction): string {
  const parts = [
    action === 'rerun' && version === 'active' ? i18n.t('Live version') : '',
    action === 'rerun' && version === 'original' ? i18n.t('Original version') : '',
    action === 'rerun' && version === 'latest' ? i18n.t('Latest version') : '',
    from === 'failedNode' ? i18n.t('From the node that failed') : '',
    ratePerSecond === null
      ? ''
      : i18n.t('Up to {count, plural, one {# run} other {# runs}} per second', { count: ratePerSecond }),
  ];
  return parts.filter((part) => part !== '').join(' · ');
}
