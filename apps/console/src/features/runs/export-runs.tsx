import { Button, Menu } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { send } from '../../api/call.ts';
import { toRunQuery } from '../../api/executions.ts';
import type { RunFilter } from '../../api/run-filter.ts';
import { notifyProblem } from '../../components/notice-board.ts';
import { saveAs } from '../../components/save-as.ts';
import { i18n } from '../../language/i18n.ts';

/** Exports all matching runs as a file. */
export function ExportRuns({ workspaceId, filter }: { workspaceId: string; filter: RunFilter }) {
  const download = useMutation({
    async mutationFn(format: 'csv' | 'json') {
      const query = { ...toRunQuery(workspaceId, filter), format };
      const answer = await send('GET', '/api/executions/export', { query });
      saveAs(`runs.${format}`, await answer.blob());
    },
    onError: notifyProblem,
  });
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" leftSection={<Download size={16} aria-hidden />} loading={download.isPending}>
          {i18n.t('Export')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => download.mutate('csv')}>{i18n.t('As CSV')}</Menu.Item>
        <Menu.Item onClick={() => download.mutate('json')}>{i18n.t('As JSON')}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
