import type { WorkspaceLimits } from '@deckhand/contracts';
import { Button, Stack } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { limitsQuery, writeLimits } from '../../api/administration.ts';
import { BytesInput } from '../../forms/bytes-input.tsx';
import { issueAt, isAllAt } from '../../forms/issue-at.ts';
import { LimitInput } from '../../forms/limit-input.tsx';
import { notify } from '../../components/notice-board.ts';
import { Problem } from '../../components/problem.tsx';
import { i18n } from '../../language/i18n.ts';
import { StorageBar } from './storage-bar.tsx';

const FIELDS = ['executionsPerMinute', 'maxConcurrentExecutions', 'storageQuotaBytes'] as const;

/** Edits the limits of a workspace. */
export function LimitsForm({ workspaceId, limits }: { workspaceId: string; limits: WorkspaceLimits }) {
  const queryClient = useQueryClient();
  const [draft, setDraft] = useState(limits);
  const save = useMutation({
    mutationFn: () => writeLimits(workspaceId, draft),
    onSuccess(saved) {
      queryClient.setQueryData(limitsQuery(workspaceId).queryKey, saved);
      notify(i18n.t('Limits saved. They apply at once.'));
    },
  });
  const field = (name: (typeof FIELDS)[number]) => ({
    value: draft[name],
    error: issueAt(save.error, name),
    placeholder: i18n.t('No limit'),
    onChange: (value: number | null) => setDraft((before) => ({ ...before, [name]: value })),
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <Stack gap="md">
        <LimitInput
          label={i18n.t('Runs per minute')}
          description={i18n.t('Further runs are refused until the minute is over')}
          {...field('executionsPerMinute')}
        />
        <LimitInput
          label={i18n.t('Max concurrent runs')}
          description={i18n.t('Further runs are queued')}
          {...field('maxConcurrentExecutions')}
        />
        <BytesInput
          label={i18n.t('Storage')}
          description={i18n.t('Inputs and outputs of runs; beyond it, new runs are refused')}
          {...field('storageQuotaBytes')}
        />
        <StorageBar workspaceId={workspaceId} quotaBytes={limits.storageQuotaBytes} />
        {!isAllAt(save.error, FIELDS) && <Problem error={save.error} />}
        <Button type="submit" loading={save.isPending} w="fit-content">
          {i18n.t('Save limits')}
        </Button>
      </Stack>
    </form>
  );
}
