import type { WorkspaceEntry } from '@deckhand/contracts';
import { Button, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { meQuery } from '../../api/people.ts';
import { useWorkspace } from '../../api/use-workspace.ts';
import {
  deleteWorkspace,
  readCallbackSecrets,
  rotateCallbackSecret,
  updateWorkspace,
  workspaceQuery,
  workspaceUsageQuery,
} from '../../api/workspaces.ts';
import { Broken } from '../../components/broken.tsx';
import { CopyText } from '../../components/copy-text.tsx';
import { describeBytes } from '../../components/durations.ts';
import { FormDialog } from '../../components/form-dialog.tsx';
import { Loading } from '../../components/loading.tsx';
import { notify } from '../../components/notice-board.ts';
import { Page } from '../../components/page.tsx';
import { Problem } from '../../components/problem.tsx';
import { formatNumber, i18n } from '../../language/i18n.ts';
import { ErrorWorkflowSelect } from '../workflows/error-workflow-select.tsx';
import { FailureAlerts } from './failure-alerts.tsx';

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
          {can('workspace.change') && <FailureAlerts errorWorkflowId={query.data.errorWorkflowId} />}
          <Usage />
          {can('events.manage') && <CallbackSecrets />}
          {can('workspace.delete') && <DeleteWorkspace />}
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
  const isReadOnly = !can('workspace.change');
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

/** The usage of the workspace, and its limits, which administrators of the instance set. */
function Usage() {
  const { workspaceId } = useWorkspace();
  const usage = useQuery(workspaceUsageQuery(workspaceId)).data;
  if (!usage) return null;
  const { storedBytes, storageQuotaBytes, executionsPerMinute, maxConcurrentExecutions } = usage;
  const { modelTokensPerMonth, modelTokensThisMonth, modelMicroUsdPerMonth, modelMicroUsdThisMonth } = usage;
  const tokens = formatNumber(modelTokensThisMonth);
  const used = describeBytes(storedBytes);
  return (
    <section aria-labelledby="usage">
      <Title order={2} size="h4" id="usage" mb="xs">
        {i18n.t('Usage and limits')}
      </Title>
      <Text size="sm">
        {storageQuotaBytes === null
          ? i18n.t('Storage: {used}, no limit', { used })
          : i18n.t('Storage: {used} of {quota}', { used, quota: describeBytes(storageQuotaBytes) })}
      </Text>
      <Text size="sm">
        {executionsPerMinute === null
          ? i18n.t('Runs per minute: no limit')
          : i18n.t('Runs per minute: {limit}', { limit: executionsPerMinute })}
      </Text>
      <Text size="sm">
        {maxConcurrentExecutions === null
          ? i18n.t('Max concurrent runs: no limit')
          : i18n.t('Max concurrent runs: {limit}', { limit: maxConcurrentExecutions })}
      </Text>
      <Text size="sm">
        {modelTokensPerMonth === null
          ? i18n.t('Tokens of language models this month: {tokens}, no limit', { tokens })
          : i18n.t('Tokens of language models this month: {tokens} of {limit}', {
              tokens,
              limit: formatNumber(modelTokensPerMonth),
            })}
      </Text>
      <Text size="sm">
        {modelMicroUsdPerMonth === null
          ? i18n.t('Costs of language models this month: {costs}, no limit', { costs: dollars(modelMicroUsdThisMonth) })
          : i18n.t('Costs of language models this month: {costs} of {limit}', {
              costs: dollars(modelMicroUsdThisMonth),
              limit: dollars(modelMicroUsdPerMonth),
            })}
      </Text>
    </section>
  );
}

function dollars(microUsd: number): string {
  return `$${formatNumber(microUsd / 1_000_000, { atMost: 2 })}`;
}

/** Shows the secrets that sign the callbacks of runs, and rotates them. They are read on demand: reads are audited. */
function CallbackSecrets() {
  const { workspaceId } = useWorkspace();
  const reading = useMutation({ mutationFn: () => readCallbackSecrets(workspaceId) });
  const rotation = useMutation({
    mutationFn: () => rotateCallbackSecret(workspaceId),
    onSuccess: () => reading.mutate(),
  });
  const secrets = reading.data?.data;
  return (
    <section aria-labelledby="callback-secrets">
      <Title order={2} size="h4" id="callback-secrets" mb="xs">
        {i18n.t('Signing secrets of callbacks')}
      </Title>
      <Stack gap="xs" align="flex-start">
        <Text size="sm" c="dimmed">
          {i18n.t(
            'The callbacks of runs are signed with them. After a rotation, the former secret stays valid for a day.',
          )}
        </Text>
        <Group gap="xs">
          <Button variant="default" loading={reading.isPending} onClick={() => reading.mutate()}>
            {i18n.t('Show secrets')}
          </Button>
          <Button variant="default" loading={rotation.isPending} onClick={() => rotation.mutate()}>
            {i18n.t('Rotate secret')}
          </Button>
        </Group>
        <Problem error={rotation.error ?? reading.error} />
        {secrets?.map(({ secret, publicKey, createdAt, expiresAt }, index) => (
          <CopyText
            key={createdAt}
            label={expiresAt === null ? i18n.t('Current secret') : i18n.t('Former secret {index}', { index })}
            text={secret ?? publicKey ?? ''}
          />
        ))}
        {secrets?.length === 0 && (
          <Text size="sm">{i18n.t('There is none before the first callback or rotation.')}</Text>
        )}
      </Stack>
    </section>
  );
}

/** Deletes the workspace, after its name is typed. */
function DeleteWorkspace() {
  const { workspaceId, name } = useWorkspace();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const [isAsking, asking] = useDisclosure(false);
  return (
    <section aria-labelledby="delete">
      <Title order={2} size="h4" id="delete" mb="xs">
        {i18n.t('Delete the workspace')}
      </Title>
      <Button variant="default" onClick={asking.open}>
        {i18n.t('Delete workspace')}
      </Button>
      <FormDialog
        isOpen={isAsking}
        title={i18n.t('Delete the workspace {name}?', { name })}
        initial={{ typed: '' }}
        submit={i18n.t('Delete')}
        isDangerous
        canSubmit={({ typed }) => typed === name}
        act={async () => {
          await deleteWorkspace(workspaceId);
          // The start page must not find the workspace any more.
          await queryClient.invalidateQueries({ queryKey: meQuery.queryKey });
          await navigate({ to: '/' });
        }}
        onClose={asking.close}
      >
        {({ text }) => (
          <>
            <Text size="sm">
              {i18n.t(
                'Its runs are stopped, and its workflows, runs, credentials and members are deleted. This cannot be undone.',
              )}
            </Text>
            <TextInput label={i18n.t('Type the name of the workspace')} data-autofocus {...text('typed')} />
          </>
        )}
      </FormDialog>
    </section>
  );
}
