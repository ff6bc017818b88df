import type { WebhookDelivery } from '@deckhand/contracts';
import { Button, Table } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useWorkspace } from '../../../api/use-workspace.ts';
import { deliveriesQuery, replayWebhook } from '../../../api/workflows.ts';
import { Broken } from '../../../components/broken.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { EmptyState } from '../../../components/empty-state.tsx';
import { AnchorLink } from '../../../components/links.tsx';
import { Loading } from '../../../components/loading.tsx';
import { RelativeTime } from '../../../components/relative-time.tsx';
import { ReplayButton } from '../../../components/replay-button.tsx';
import { i18n } from '../../../language/i18n.ts';

/** Number of requests that are shown. */
const SHOWN = 50;

/** A button that lists the latest requests to a webhook, and replays them. */
export function WebhookRequests(props: { workflowId: string; nodeId: string; canReplay: boolean }) {
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
