import type { CreateBulkActionBody } from '@deckhand/contracts';
import { Button, Menu } from '@mantine/core';
import { ChevronDown } from 'lucide-react';
import { useState } from 'react';
import { type BulkTarget, toBulkTarget } from '../../api/bulk-actions.ts';
import type { RunFilter } from '../../api/executions.ts';
import { useWorkspace } from '../../api/use-workspace.ts';
import { i18n } from '../../language/i18n.ts';
import { StartBulkAction } from '../bulk-actions/start-bulk-action.tsx';

type Action = CreateBulkActionBody['action'];

/** Starts a bulk action on the selected runs; without any, on all that match the filter. */
export function BulkMenu({ filter, selected }: { filter: RunFilter; selected: readonly string[] }) {
  const { workspaceId, can } = useWorkspace();
  // The runs that were counted are acted on: a period ends when the dialog opens.
  const [started, setStarted] = useState<{ readonly action: Action; readonly target: BulkTarget }>();
  const start = (action: Action): void =>
    setStarted({ action, target: selected.length === 0 ? toBulkTarget(filter) : { executionIds: [...selected] } });
  if (!can('editor')) return null;
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" rightSection={<ChevronDown size={16} aria-hidden />}>
            {selected.length === 0
              ? i18n.t('All matching runs')
              : i18n.t('{count} selected', { count: selected.length })}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => start('rerun')}>{i18n.t('Re-run…')}</Menu.Item>
          <Menu.Item onClick={() => start('stop')}>{i18n.t('Stop…')}</Menu.Item>
          <Menu.Item c="var(--status-bad)" onClick={() => start('delete')}>
            {i18n.t('Delete…')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {started && (
        <StartBulkAction
          workspaceId={workspaceId}
          {...started}
          workflowId={filter.workflowId}
          onClose={() => setStarted(undefined)}
        />
      )}
    </>
  );
}
