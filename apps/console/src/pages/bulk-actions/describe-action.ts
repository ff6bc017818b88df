import type { BulkAction } from '@deckhand/contracts';

/** Returns a number of runs in words. */
export function describeRuns(total: number): string {
  return total === 1 ? '1 run' : `${total.toLocaleString('en')} runs`;
}

const VERBS: Readonly<Record<BulkAction['action'], string>> = { stop: 'Stop', rerun: 'Re-run', delete: 'Delete' };

/** Describes what a bulk action does. */
export function describeAction({ action, total }: BulkAction): string {
  return `${VERBS[action]} ${describeRuns(total)}`;
}

/** Describes how far a bulk action has come, apart from runs that it acted on. */
export function describeRest({ failed, skipped, blockedBy, errors }: BulkAction): string {
  const parts = [
    failed > 0 ? `${failed.toLocaleString('en')} failed` : '',
    skipped > 0 ? `${skipped.toLocaleString('en')} skipped` : '',
    blockedBy === null ? '' : 'Delayed by a limit of the workspace',
    errors[0]?.message ?? '',
  ];
  return parts.filter((part) => part !== '').join(' · ');
}

/** Describes how a bulk action acts on its runs. */
export function describeOptions({ action, version, from, ratePerSecond }: BulkAction): string {
  const parts = [
    action === 'rerun' && version === 'original' ? 'Original version' : '',
    action === 'rerun' && version === 'latest' ? 'Latest version' : '',
    from === 'failedNode' ? 'From the node that failed' : '',
    ratePerSecond === null ? '' : `Up to ${describeRuns(ratePerSecond)} per second`,
  ];
  return parts.filter((part) => part !== '').join(' · ');
}
