import type { BulkAction } from '@deckhand/contracts';
import { Progress, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { abortBulkAction } from '../../api/bulk-actions.ts';
import { useWorkspace } from '../../api/use-workspace.ts';
import { ConfirmButton } from '../../components/confirm-button.tsx';
import { i18n } from '../../language/i18n.ts';
import { describeAction } from './describe-action.ts';

/** How many of its runs a bulk action has settled. */
export function Settled({ action }: { action: BulkAction }) {
  const { done, failed, skipped, total } = action;
  const settled = done + failed + skipped;
  return (
    <>
      <Text size="sm">{i18n.t('{settled, number} of {total, number}', { settled, total })}</Text>
      <Progress
        size="sm"
        value={total === 0 ? 100 : (settled / total) * 100}
        aria-label={i18n.t('Progress: {action}', { action: describeAction(action) })}
      />
    </>
  );
}

/** The button that aborts a bulk action; nothing for one that does not run. */
export function Abort({ action }: { action: BulkAction }) {
  const { can } = useWorkspace();
  const queryClient = useQueryClient();
  if (action.status !== 'running' || !can('runs.control')) return null;
  return (
    <ConfirmButton
      label={i18n.t('Abort')}
      of={describeAction(action)}
      question={i18n.t('Abort this bulk action?')}
      consequence={i18n.t('It acts on no further run. What it did is not undone.')}
      act={async () => {
        await abortBulkAction(action.id);
        await queryClient.invalidateQueries({ queryKey: ['bulk-actions'] });
      }}
    />
  );
}
