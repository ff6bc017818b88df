import { Button, Modal, SegmentedControl, Stack, TagsInput, Text, TextInput, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useWorkspace } from '../../api/use-workspace.ts';
import { createWorkflow, deleteWorkflow, updateWorkflow } from '../../api/workflows.ts';
import { updateWorkspace, workspaceQuery } from '../../api/workspaces.ts';
import { choice } from '../../app/search.ts';
import { FormFooter } from '../../components/form-footer.tsx';
import { notify } from '../../components/notice-board.ts';
import { CredentialSelect } from '../editor/inspector/credential-select.tsx';
import { i18n } from '../../language/i18n.ts';
import { type AlertChannel, alertWorkflow } from './alert-workflow.ts';
import { type AlertSteps, setUpAlerts } from './set-up-alerts.ts';

/** Sets up alerts on failed runs: an error workflow of the workspace, which may be changed like any other. */
export function FailureAlerts({ hasErrorWorkflow }: { hasErrorWorkflow: boolean }) {
  const [isOpen, dialog] = useDisclosure(false);
  return (
    <section aria-labelledby="failure-alerts">
      <Title order={2} size="h4" id="failure-alerts" mb="xs">
        {i18n.t('Failure alerts')}
      </Title>
      <Stack gap="xs" align="flex-start">
        <Text size="sm" c="dimmed">
          {hasErrorWorkflow
            ? i18n.t('The error workflow above is started when a run fails. New alerts replace it.')
            : i18n.t('No alert is sent when a run fails. Set one up, by e-mail or as an HTTP request.')}
        </Text>
        <Button variant="default" onClick={dialog.open}>
          {i18n.t('Set up alerts')}
        </Button>
      </Stack>
      {isOpen && <SetUpAlerts onClose={dialog.close} />}
    </section>
  );
}

const KINDS = ['email', 'request'] as const;

function SetUpAlerts({ onClose }: { onClose: () => void }) {
  const { workspaceId } = useWorkspace();
  const queryClient = useQueryClient();
  const [kind, setKind] = useState<(typeof KINDS)[number]>('email');
  const [credentialId, setCredentialId] = useState<string>();
  const [from, setFrom] = useState('');
  const [to, setTo] = useState<string[]>([]);
  const [url, setUrl] = useState('');
  const creation = useMutation({
    mutationFn: (channel: AlertChannel) => setUpAlerts(stepsOf(queryClient, workspaceId, channel)),
    async onSuccess() {
      await queryClient.invalidateQueries({ queryKey: workspaceQuery(workspaceId).queryKey });
      notify(i18n.t('Alerts are sent from now on.'));
      onClose();
    },
  });
  const channel = kind === 'request' ? { kind, url } : { kind, credentialId: credentialId ?? '', from, to };
  const isComplete = kind === 'request' || (credentialId !== undefined && to.length > 0);
  return (
    <Modal
      opened
      onClose={onClose}
      title={i18n.t('Failure alerts')}
      closeButtonProps={{ 'aria-label': i18n.t('Close') }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (isComplete) creation.mutate(channel);
        }}
      >
        <Stack>
          <SegmentedControl
            aria-label={i18n.t('Send by')}
            data={[
              { value: 'email', label: i18n.t('E-mail') },
              { value: 'request', label: i18n.t('HTTP request') },
            ]}
            value={kind}
            onChange={(value) => setKind(choice(KINDS, value) ?? 'email')}
          />
          {kind === 'email' ? (
            <>
              <CredentialSelect
                workspaceId={workspaceId}
                types={['smtp']}
                value={credentialId}
                onChange={setCredentialId}
              />
              <TextInput
                label={i18n.t('From')}
                required
                value={from}
                onChange={(event) => setFrom(event.currentTarget.value)}
              />
              <TagsInput
                label={i18n.t({ id: 'e-mail: To', message: 'To' })}
                description={i18n.t('E-mail addresses, each followed by Enter')}
                required
                acceptValueOnBlur
                value={to}
                onChange={setTo}
              />
            </>
          ) : (
            <TextInput
              label={i18n.t('URL')}
              description={i18n.t('Gets a POST request whose body has the text of the alert as `text`')}
              type="url"
              required
              value={url}
              onChange={(event) => setUrl(event.currentTarget.value)}
            />
          )}
          <Text size="sm" c="dimmed">
            {i18n.t('Each workflow whose runs fail is reported once in ten minutes at most.')}
          </Text>
          <FormFooter
            error={creation.error}
            submit={i18n.t('Set up alerts')}
            isPending={creation.isPending}
            onCancel={onClose}
          />
        </Stack>
      </form>
    </Modal>
  );
}

/** Returns the steps that set up alerts of a workspace by a channel. */
function stepsOf(queryClient: QueryClient, workspaceId: string, channel: AlertChannel): AlertSteps {
  const definition = alertWorkflow(channel, `${window.location.origin}/w/${workspaceId}/runs`);
  return {
    create: async () => (await createWorkflow({ workspaceId, name: 'Failure alerts', definition })).id,
    activate: (id) => updateWorkflow(id, { status: 'active' }),
    choose: (id) => updateWorkspace(workspaceId, { errorWorkflowId: id }),
    readChosen: async () => (await queryClient.query({ ...workspaceQuery(workspaceId), staleTime: 0 })).errorWorkflowId,
    remove: deleteWorkflow,
  };
}
