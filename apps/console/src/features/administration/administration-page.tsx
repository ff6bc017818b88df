import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { limitsQuery, settingsQuery } from '../../api/administration.ts';
import { useWorkspace } from '../../api/use-workspace.ts';
import { Broken } from '../../components/broken.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Loading } from '../../components/loading.tsx';
import { Page } from '../../components/page.tsx';
import { i18n } from '../../language/i18n.ts';
import classes from './administration-page.module.css';
import { LimitsForm } from './limits-form.tsx';
import { SettingsForm } from './settings-form.tsx';

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
