import type { WebhookDelivery, Workflow } from '@deckhand/contracts';
import { Button, CopyButton, Group, Stack, Table, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Check, Copy } from 'lucide-react';
import { useWorkspace } from '../../../api/use-workspace.ts';
import { changeWebhookUrl, deliveriesQuery, replayWebhook, workflowQuery } from '../../../api/workflows.ts';
import { Broken } from '../../../components/broken.tsx';
import { ConfirmButton } from '../../../components/confirm-button.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { EmptyState } from '../../../components/empty-state.tsx';
import { AnchorLink } from '../../../components/links.tsx';
import { Loading } from '../../../components/loading.tsx';
import { Problem } from '../../../components/problem.tsx';
import { RelativeTime } from '../../../components/relative-time.tsx';
import { ReplayButton } from '../../../components/replay-button.tsx';
import { i18n } from '../../../language/i18n.ts';
import type { TestEvent } from './use-test-event.ts';

const MESSAGES: Readonly<Record<TestEvent['state'], string>> = {
  idle: '',
  listening: i18n.t('Listening for two minutes: send a request to this URL.'),
  received: i18n.t('Event received. Its run is on the canvas.'),
  expired: i18n.t('No event was received in time.'),
};

/** The URL of a webhook and its latest requests, and, for those who may use it, its test URL. */
export function WebhookBox({
  workflow,
  nodeId,
  test,
}: {
  workflow: Workflow;
  nodeId: string;
  test: TestEvent | undefined;
}) {
  const queryClient = useQueryClient();
  const webhook = workflow.webhooks.find((one) => one.nodeId === nodeId);
  return (
    <Stack gap="xs">
      {webhook ? (
        <Address method={webhook.method} url={webhook.url} />
      ) : (
        <Text size="sm" c="dimmed">
          {i18n.t('Save to generate the URL.')}
        </Text>
      )}
      {webhook && workflow.status !== 'active' && (
        <Text size="sm" c="dimmed">
          {i18n.t('Responds with 410 until the workflow is active.')}
        </Text>
      )}
      {webhook && (
        <Group gap="xs">
          <WebhookRequests workflowId={workflow.id} nodeId={nodeId} canReplay={test !== undefined} />
          {test && (
            <ConfirmButton
              label={i18n.t('Change URL')}
              of={nodeId}
              question={i18n.t('Change the URL of this webhook?')}
              consequence={i18n.t(
                'Requests to the current URL are refused from then on. Give the new one to all callers.',
              )}
              act={async () => {
                await changeWebhookUrl(workflow.id, nodeId);
                await queryClient.invalidateQueries({ queryKey: workflowQuery(workflow.id).queryKey });
              }}
            />
          )}
        </Group>
      )}
      {test && (
        <>
          <Button
            variant="default"
            size="xs"
            w="fit-content"
            loading={test.isPending}
            onClick={() => test.listen(nodeId)}
          >
            {i18n.t('Listen for test event')}
          </Button>
          <Problem error={test.error} />
          {webhook && test.open?.nodeId === nodeId && <Address method={webhook.method} url={test.open.url} />}
          <Text size="sm" role="status" aria-label={i18n.t('Test event')}>
            {MESSAGES[test.state]}
          </Text>
        </>
      )}
    </Stack>
  );
}

function Address({ method, url }: { method: string; url: string }) {
  return (
    <Group gap="xs" wrap="nowrap" justify="space-between">
      <Text size="xs" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
        {method} {url}
      </Text>
      <CopyButton value={url}>
        {({ copied, copy }) => (
          <Button
            variant="default"
            size="compact-xs"
            leftSection={copied ? <Check size={13} aria-hidden /> : <Copy size={13} aria-hidden />}
            onClick={copy}
            flex="none"
          >
            {copied ? i18n.t('Copied') : i18n.t('Copy')}
          </Button>
        )}
      </CopyButton>
    </Group>
  );
}

/** Number of requests that are shown. */
const SHOWN = 50;

/** A button that lists the latest requests to a webhook, and replays them. */
function WebhookRequests(props: { workflowId: string; nodeId: string; canReplay: boolean }) {
  const [isOpen, dialog] = useDisclosure(false);
  return (
    <>
      <Button variant="default" size="compact-sm" onClick={dialog.open}>
        {i18n.t('Requests')}
      </Button>
      <Dialog isOpen={isOpen} size="lg" onClose={dialog.close} title={i18n.t('Latest requests')}>
        <Requests {...props} />
      </Dialog>
    </>
  );
}

function Requests({ workflowId, nodeId, canReplay }: { workflowId: string; nodeId: string; canReplay: boolean }) {
  const { workspaceId } = useWorkspace();
  const queryClient = useQueryClient();
  const query = useQuery(deliveriesQuery(workflowId));
  if (query.isError) return <Broken error={query.error} reset={() => void query.refetch()} />;
  if (!query.data) return <Loading />;
  const rows = query.data.data.filter((delivery) => delivery.nodeId === nodeId).slice(0, SHOWN);
  if (rows.length === 0) {
    return <EmptyState title={i18n.t('No requests yet')}>{i18n.t('Send a request to the URL.')}</EmptyState>;
  }
  return (
    <Table aria-label={i18n.t('Requests')}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{i18n.t('Received')}</Table.Th>
          <Table.Th>{i18n.t('Response')}</Table.Th>
          <Table.Th>{i18n.t({ id: 'noun: Run', message: 'Run' })}</Table.Th>
          <Table.Td />
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map(({ id, at, method, executionId, ...response }) => (
          <Table.Tr key={id}>
            <Table.Td>
              <RelativeTime at={at} />
            </Table.Td>
            <Table.Td>{describeResponse(response)}</Table.Td>
            <Table.Td>
              {executionId !== null && (
                <AnchorLink to="/w/$workspaceId/runs/$executionId" params={{ workspaceId, executionId }}>
                  {executionId.slice(0, 8)}
                </AnchorLink>
              )}
            </Table.Td>
            <Table.Td>
              {/* A request that started no run has no payload. */}
              {canReplay && executionId !== null && (
                <ReplayButton
                  type={method}
                  replay={() => replayWebhook(workflowId, id)}
                  onSettled={() => queryClient.invalidateQueries({ queryKey: deliveriesQuery(workflowId).queryKey })}
                />
              )}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function describeResponse({ status, errorCode, isTest }: Pick<WebhookDelivery, 'status' | 'errorCode' | 'isTest'>) {
  const response = `${status ?? i18n.t('Disconnected')}${errorCode === null ? '' : ` ${errorCode}`}`;
  return isTest ? i18n.t('{response} (test)', { response }) : response;
}
