import type { InstanceSettings } from '@deckhand/contracts';
import { Button, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { limitsQuery, settingsQuery, writeSettings } from '../../api/administration.ts';
import { useWorkspace } from '../../api/use-workspace.ts';
import { Broken } from '../../components/broken.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Loading } from '../../components/loading.tsx';
import { notify } from '../../components/notice-board.ts';
import { Page } from '../../components/page.tsx';
import { Problem } from '../../components/problem.tsx';
import { BytesInput } from '../../forms/bytes-input.tsx';
import { isAllAt, issueAt } from '../../forms/issue-at.ts';
import { LimitInput } from '../../forms/number-field.tsx';
import { i18n } from '../../language/i18n.ts';
import classes from './administration-page.module.css';
import { LimitsForm } from './limits-form.tsx';

/** Settings for administrators of the instance: the limits of this workspace, and settings of the whole instance. */
export function AdministrationPage() {
  const { workspaceId, name, user } = useWorkspace();
  return (
    <Page title={i18n.t('Administration')}>
      {user.isAdmin ? (
        <div className={classes.cards}>
          <section className={classes.card} aria-labelledby="limits">
            <h2 id="limits">{i18n.t('Limits of {name}', { name })}</h2>
            <Text size="sm" c="dimmed" mb="md">
              {i18n.t('Leave empty for no limit.')}
            </Text>
            <Limits key={workspaceId} workspaceId={workspaceId} />
          </section>
          <section className={classes.card} aria-labelledby="settings">
            <h2 id="settings">{i18n.t('Instance settings')}</h2>
            <Text size="sm" c="dimmed" mb="md">
              {i18n.t('Apply to all workspaces. Limits are the defaults of new workspaces.')}
            </Text>
            <Settings />
          </section>
        </div>
      ) : (
        <EmptyState title={i18n.t('Only for administrators')}>
          {i18n.t('Only an administrator of the instance can change limits and settings.')}
        </EmptyState>
      )}
    </Page>
  );
}

function Limits({ workspaceId }: { workspaceId: string }) {
  const limits = useQuery(limitsQuery(workspaceId));
  if (limits.data) return <LimitsForm workspaceId={workspaceId} limits={limits.data} />;
  return limits.isError ? <Broken error={limits.error} reset={() => void limits.refetch()} /> : <Loading />;
}

function Settings() {
  const settings = useQuery(settingsQuery);
  if (settings.data) return <SettingsForm settings={settings.data} />;
  return settings.isError ? <Broken error={settings.error} reset={() => void settings.refetch()} /> : <Loading />;
}

const FIELDS = [
  'dataRetentionDays',
  'runRetentionDays',
  'defaultExecutionsPerMinute',
  'defaultStorageQuotaBytes',
] as const;

/** Edits the retention of runs, and the defaults of new workspaces. */
function SettingsForm({ settings }: { settings: InstanceSettings }) {
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
