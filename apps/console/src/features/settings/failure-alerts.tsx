import { Button, Group, SegmentedControl, Stack, TagsInput, Text, TextInput, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useWorkspace } from '../../api/use-workspace.ts';
import { createWorkflow, deleteWorkflow, updateWorkflow } from '../../api/workflows.ts';
import { updateWorkspace, workspaceQuery } from '../../api/workspaces.ts';
import { FormDialog } from '../../components/form-dialog.tsx';
import { notify } from '../../components/notice-board.ts';
import { CredentialSelect } from '../editor/inspector/credential-select.tsx';
import { i18n } from '../../language/i18n.ts';
import { type AlertChannel, alertWorkflow } from './alert-workflow.ts';
import { type AlertSteps, setUpAlerts } from './set-up-alerts.ts';
import { TestAlert } from './test-alert.tsx';

/** Sets up alerts on failed runs: an error workflow of the workspace, which may be changed like any other. */
export function FailureAlerts({ errorWorkflowId }: { errorWorkflowId: string | null }) {
  const [isOpen, dialog] = useDisclosure(false);
  return (
    <section aria-labelledby="failure-alerts">
      <Title order={2} size="h4" id="failure-alerts" mb="xs">
        {i18n.t('Failure alerts')}
      </Title>
      <Stack gap="xs" align="flex-start">
        <Text size="sm" c="dimmed">
          {errorWorkflowId !== null
            ? i18n.t('The error workflow above is started when a run fails. New alerts replace it.')
            : i18n.t('No alert is sent when a run fails. Set one up, by e-mail or as an HTTP request.')}
        </Text>
        <Group gap="xs">
          <Button variant="default" onClick={dialog.open}>
            {i18n.t('Set up alerts')}
          </Button>
          {errorWorkflowId !== null && <TestAlert errorWorkflowId={errorWorkflowId} />}
        </Group>
      </Stack>
      {isOpen && <SetUpAlerts onClose={dialog.close} />}
    </section>
  );
}

const KINDS = ['email', 'request'] as const;

/** What alerts are set up with. */
interface NewAlerts {
  readonly kind: (typeof KINDS)[number];
  readonly credentialId: string | undefined;
  readonly from: string;
  readonly to: string[];
  readonly url: string;
}

const EMPTY: NewAlerts = { kind: 'email', credentialId: undefined, from: '', to: [], url: '' };

function SetUpAlerts({ onClose }: { onClose: () => void }) {
  const { workspaceId } = useWorkspace();
  const queryClient = useQueryClient();
  return (
    <FormDialog
      title={i18n.t('Failure alerts')}
      initial={EMPTY}
      submit={i18n.t('Set up alerts')}
      // Not by the addresses: the last one is taken when its field loses the focus to the button.
      canSubmit={({ kind, credentialId }) => kind === 'request' || credentialId !== undefined}
      act={async ({ kind, credentialId = '', from, to, url }) => {
        const channel: AlertChannel = kind === 'request' ? { kind, url } : { kind, credentialId, from, to };
        await setUpAlerts(stepsOf(queryClient, workspaceId, channel));
        await queryClient.invalidateQueries({ queryKey: workspaceQuery(workspaceId).queryKey });
        notify(i18n.t('Alerts are sent from now on.'));
      }}
      onClose={onClose}
    >
      {({ values: { kind, credentialId }, set, text, field, choice }) => (
        <>
          <SegmentedControl
            aria-label={i18n.t('Send by')}
            data={[
              { value: 'email', label: i18n.t('E-mail') },
              { value: 'request', label: i18n.t('HTTP request') },
            ]}
            {...choice('kind', KINDS)}
          />
          {kind === 'email' ? (
            <>
              <CredentialSelect
                workspaceId={workspaceId}
                types={['smtp']}
                value={credentialId}
                onChange={(id) => set({ credentialId: id })}
              />
              <TextInput label={i18n.t('From')} required {...text('from')} />
              <TagsInput
                label={i18n.t({ id: 'e-mail: To', message: 'To' })}
                description={i18n.t('E-mail addresses, each followed by Enter')}
                required
                acceptValueOnBlur
                {...field('to')}
              />
            </>
          ) : (
            <TextInput
              label={i18n.t('URL')}
              description={i18n.t('Gets a POST request whose body has the text of the alert as `text`')}
              type="url"
              required
              {...text('url')}
            />
          )}
          <Text size="sm" c="dimmed">
            {i18n.t('Each workflow whose runs fail is reported once in ten minutes at most.')}
          </Text>
        </>
      )}
    </FormDialog>
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
