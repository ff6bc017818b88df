import type { InstanceSettings } from '@deckhand/contracts';
import { Button, Stack } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { settingsQuery, writeSettings } from '../../api/administration.ts';
import { BytesInput } from '../../forms/bytes-input.tsx';
import { issueAt, isAllAt } from '../../forms/issue-at.ts';
import { LimitInput } from '../../forms/limit-input.tsx';
import { notify } from '../../components/notice-board.ts';
import { Problem } from '../../components/problem.tsx';
import { i18n } from '../../language/i18n.ts';

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
      notify(i18n.t('Settings saved.'));
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
          label={i18n.t('Keep inputs and outputs (days)')}
          description={i18n.t('Of finished runs; the runs stay in the list')}
          placeholder={i18n.t('Forever')}
          {...field('dataRetentionDays')}
        />
        <LimitInput
          label={i18n.t('Keep runs (days)')}
          description={i18n.t('Older finished runs are deleted')}
          placeholder={i18n.t('Forever')}
          {...field('runRetentionDays')}
        />
        <LimitInput
          label={i18n.t('Runs per minute, new workspaces')}
          description={i18n.t('Existing workspaces keep their limits')}
          placeholder={i18n.t('No limit')}
          {...field('defaultExecutionsPerMinute')}
        />
        <BytesInput
          label={i18n.t('Storage, new workspaces')}
          description={i18n.t('Existing workspaces keep their limits')}
          placeholder={i18n.t('No limit')}
          {...field('defaultStorageQuotaBytes')}
        />
        {!isAllAt(save.error, FIELDS) && <Problem error={save.error} />}
        <Button type="submit" loading={save.isPending} w="fit-content">
          {i18n.t('Save settings')}
        </Button>
      </Stack>
    </form>
  );
}
