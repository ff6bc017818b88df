import type { WorkspaceEntry } from '@deckhand/contracts';
import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { meQuery } from '../../api/people.ts';
import { useWorkspace } from '../../api/use-workspace.ts';
import { updateWorkspace, workspaceQuery } from '../../api/workspaces.ts';
import { Broken } from '../../components/broken.tsx';
import { Loading } from '../../components/loading.tsx';
import { notify } from '../../components/notice-board.ts';
import { Page } from '../../components/page.tsx';
import { Problem } from '../../components/problem.tsx';
import { i18n } from '../../language/i18n.ts';
import { ErrorWorkflowSelect } from '../workflows/error-workflow-select.tsx';
import { CallbackSecrets } from './callback-secrets.tsx';
import { DeleteWorkspace } from './delete-workspace.tsx';
import { FailureAlerts } from './failure-alerts.tsx';
import { Usage } from './usage.tsx';

/** The settings of the workspace. Only its admins change them. */
export function SettingsPage() {
  const { workspaceId, can } = useWorkspace();
  const query = useQuery(workspaceQuery(workspaceId));
  if (query.isError && !query.data) return <Broken error={query.error} reset={() => void query.refetch()} />;
  return (
    <Page title={i18n.t('Settings')}>
      {query.data ? (
        <Stack gap="xl" key={workspaceId}>
          <Form key={query.data.errorWorkflowId} workspace={query.data} />
          {can('admin') && <FailureAlerts hasErrorWorkflow={query.data.errorWorkflowId !== null} />}
          <Usage />
          {can('admin') && <CallbackSecrets />}
          {can('owner') && <DeleteWorkspace />}
        </Stack>
      ) : (
        <Loading />
      )}
    </Page>
  );
}

/** Stands for null, which a field of choices cannot have. */
const NONE = 'none';

function Form({ workspace }: { workspace: WorkspaceEntry }) {
  const { workspaceId, can } = useWorkspace();
  const queryClient = useQueryClient();
  const [name, setName] = useState(workspace.name);
  const [errorWorkflowId, setErrorWorkflowId] = useState(workspace.errorWorkflowId ?? NONE);
  const saving = useMutation({
    mutationFn: () =>
      updateWorkspace(workspaceId, { name, errorWorkflowId: errorWorkflowId === NONE ? null : errorWorkflowId }),
    async onSuccess() {
      await queryClient.invalidateQueries({ queryKey: workspaceQuery(workspaceId).queryKey });
      await queryClient.invalidateQueries({ queryKey: meQuery.queryKey });
      notify(i18n.t('The settings are saved.'));
    },
  });
  const isReadOnly = !can('admin');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        saving.mutate();
      }}
    >
      <Stack maw={480}>
        <TextInput
          label={i18n.t('Name')}
          required
          maxLength={200}
          disabled={isReadOnly}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <ErrorWorkflowSelect
          label={i18n.t('Error workflow')}
          description={i18n.t(
            'Started when a run of a workflow without an error workflow of its own fails or times out',
          )}
          fixed={[{ value: NONE, label: i18n.t('No workflow') }]}
          value={errorWorkflowId}
          isReadOnly={isReadOnly}
          onChange={setErrorWorkflowId}
        />
        {!isReadOnly && (
          <>
            <Problem error={saving.error} />
            <Group>
              <Button type="submit" loading={saving.isPending}>
                {i18n.t('Save')}
              </Button>
            </Group>
          </>
        )}
      </Stack>
    </form>
  );
}
