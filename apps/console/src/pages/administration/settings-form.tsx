import type { InstanceSettings } from '@deckhand/contracts';
import { Button, Stack } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { settingsQuery, writeSettings } from '../../api/administration.js';
import { BytesInput } from '../../forms/bytes-input.js';
import { issueAt, isAllAt } from '../../forms/issue-at.js';
import { LimitInput } from '../../forms/limit-input.js';
import { notify } from '../../components/notice-board.js';
import { Problem } from '../../components/problem.js';

const FIELDS = [
  'dataRetentionDays',
  'runRetentionDays',
  'defaultExecutionsPerMinute',
  'defaultStorageQuotaBytes',
] as const;

/** Edits the retention of runs, and the defaults of new workspaces. */
export function SettingsForm({ settings }: { settings: InstanceSettings }) {
  const queryClient = useQueryClient();
  const [draft, setDraft] = useState(settings);
  const save = useMutation({
    mutationFn: () => writeSettings(draft),
    onSuccess(saved) {
      queryClient.setQueryData(settingsQuery.queryKey, saved);
      notify('Settings saved.');
    },
  });
  const field = (name: (typeof FIELDS)[number]) => ({
    value: draft[name],
    error: issueAt(save.error, name),
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
          label="Keep inputs and outputs (days)"
          description="Of finished runs; the runs stay in the list"
          placeholder="Forever"
          {...field('dataRetentionDays')}
        />
        <LimitInput
          label="Keep runs (days)"
          description="Older finished runs are deleted"
          placeholder="Forever"
          {...field('runRetentionDays')}
        />
        <LimitInput
          label="Runs per minute, new workspaces"
          description="Existing workspaces keep their limits"
          placeholder="No limit"
          {...field('defaultExecutionsPerMinute')}
        />
        <BytesInput
          label="Storage, new workspaces"
          description="Existing workspaces keep their limits"
          placeholder="No limit"
          {...field('defaultStorageQuotaBytes')}
        />
        {!isAllAt(save.error, FIELDS) && <Problem error={save.error} />}
        <Button type="submit" loading={save.isPending} w="fit-content">
          Save settings
        </Button>
      </Stack>
    </form>
  );
}
