import type { BulkAction } from '@deckhand/contracts';
import { Progress, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { abortBulkAction } from '../../api/bulk-actions.js';
import { useWorkspace } from '../../api/use-workspace.js';
import { ConfirmButton } from '../../components/confirm-button.js';
import { describeAction } from './describe-action.js';

/** How many of its runs a bulk action has settled. */
export function Settled({ action }: { action: BulkAction }) {
  const { done, failed, skipped, total } = action;
  const settled = done + failed + skipped;
  return (
    <>
      <Text size="sm">
        {settled.toLocaleString('en')} of {total.toLocaleString('en')}
      </Text>
      <Progress
        size="sm"
        value={total === 0 ? 100 : (settled / total) * 100}
        aria-label={`Progress: ${describeAction(action)}`}
      />
    </>
  );
}

/** The button that aborts a bulk action; nothing for one that does not run. */
export function Abort({ action }: { action: BulkAction }) {
  const { can } = useWorkspace();
  const queryClient = useQueryClient();
  if (action.status !== 'running' || !can('editor')) return null;
  return (
    <ConfirmButton
      label="Abort"
      of={describeAction(action)}
      question="Abort this bulk action?"
      consequence="It acts on no further run. What it did is not undone."
      act={async () => {
        await abortBulkAction(action.id);
        await queryClient.invalidateQueries({ queryKey: ['bulk-actions'] });
      }}
    />
  );
}
