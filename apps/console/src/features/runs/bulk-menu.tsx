import { BULK_ACTION_PERMISSIONS, type CreateBulkActionBody, MAX_NAMED_RUNS } from '@deckhand/contracts';
import { Button, Menu, Text } from '@mantine/core';
import { ChevronDown } from 'lucide-react';
import { useState } from 'react';
import { type BulkTarget, toBulkTarget } from '../../api/bulk-actions.ts';
import type { RunFilter } from '../../api/run-filter.ts';
import { useWorkspace } from '../../api/use-workspace.ts';
import { i18n } from '../../language/i18n.ts';
import { StartBulkAction } from '../bulk-actions/start-bulk-action.tsx';

type Action = CreateBulkActionBody['action'];

const LABELS: Readonly<Record<Action, string>> = {
  rerun: i18n.t('Re-run…'),
  stop: i18n.t('Stop…'),
  delete: i18n.t('Delete…'),
};
const ACTIONS = ['rerun', 'stop', 'delete'] as const;

/** Returns a function that asks for the options of a bulk action, and the dialog that it opens. */
function useBulkAction(workflowId: string | undefined) {
  const { workspaceId } = useWorkspace();
  const [started, setStarted] = useState<{ readonly action: Action; readonly target: BulkTarget }>();
  const dialog = started && (
    <StartBulkAction
      workspaceId={workspaceId}
      {...started}
      workflowId={workflowId}
      onClose={() => setStarted(undefined)}
    />
  );
  return { dialog, start: (action: Action, target: BulkTarget): void => setStarted({ action, target }) };
}

/** Starts a bulk action on all runs that match the filter. */
export function BulkMenu({ filter }: { filter: RunFilter }) {
  const { can } = useWorkspace();
  const { dialog, start } = useBulkAction(filter.workflowId);
  const actions = ACTIONS.filter((action) => can(BULK_ACTION_PERMISSIONS[action]));
  if (actions.length === 0) return null;
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" rightSection={<ChevronDown size={16} aria-hidden />}>
            {i18n.t('All matching runs')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {actions.map((action) => (
            <Menu.Item
              key={action}
              {...(action === 'delete' && { c: 'var(--status-bad)' })}
              // The runs that are counted are acted on: a period ends when the dialog opens.
              onClick={() => start(action, toBulkTarget(filter))}
            >
              {LABELS[action]}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {dialog}
    </>
  );
}

/** Starts a bulk action on certain runs. @param workflowId as for `StartBulkAction` */
export function BulkButtons({
  executionIds,
  workflowId,
}: {
  executionIds: readonly string[];
  workflowId: string | undefined;
}) {
  const { can } = useWorkspace();
  const { dialog, start } = useBulkAction(workflowId);
  const actions = ACTIONS.filter((action) => can(BULK_ACTION_PERMISSIONS[action]));
  if (actions.length === 0) return null;
  if (executionIds.length > MAX_NAMED_RUNS) {
    return (
      <Text size="sm">
        {i18n.t('Select at most {count} runs, or use "All matching runs" above', { count: MAX_NAMED_RUNS })}
      </Text>
    );
  }
  return (
    <>
      {actions.map((action) => (
        <Button
          key={action}
          variant="default"
          size="xs"
          {...(action === 'delete' && { c: 'var(--status-bad)' })}
          onClick={() => start(action, { executionIds: [...executionIds] })}
        >
          {LABELS[action]}
        </Button>
      ))}
      {dialog}
    </>
  );
}
