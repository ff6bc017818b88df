import type { EventDelivery, EventEndpoint, EventSecret } from '@deckhand/contracts';
import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { History, KeyRound, Pencil, Power, PowerOff, Send } from 'lucide-react';
import { useState } from 'react';
import {
  deleteEventEndpoint,
  eventDeliveriesQuery,
  eventEndpointQuery,
  eventEndpointsQuery,
  replayDelivery,
  rotateEventSecret,
  sendTestEvent,
  updateEventEndpoint,
} from '../../api/event-endpoints.ts';
import { Broken } from '../../components/broken.tsx';
import { ConfirmButton } from '../../components/confirm-button.tsx';
import type { Columns } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Listing } from '../../components/listing.tsx';
import { Loading } from '../../components/loading.tsx';
import { notifyProblem } from '../../components/notice-board.ts';
import { AnchorLink } from '../../components/links.tsx';
import { Breadcrumbs } from '../../components/breadcrumbs.tsx';
import { Page } from '../../components/page.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { ReplayButton } from '../../components/replay-button.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { i18n } from '../../language/i18n.ts';
import { Attempts } from './attempts.tsx';
import { EndpointForm } from './endpoint-form.tsx';
import { describeReason, statusOf } from './endpoint-status.ts';
import { ReplayRange } from './replay-range.tsx';
import { SecretShown } from './secret-shown.tsx';

const route = getRouteApi('/w/$workspaceId/event-endpoints/$endpointId');

const COLUMNS: Columns<EventDelivery> = [
  { id: 'type', header: i18n.t('Event'), cell: ({ row: { original } }) => original.type },
  { id: 'status', header: i18n.t('Status'), cell: ({ row: { original } }) => <StatusBadge status={original.status} /> },
  { id: 'attempts', header: i18n.t('Attempts'), cell: ({ row: { original } }) => <Attempts delivery={original} /> },
  { id: 'at', header: i18n.t('Occurred'), cell: ({ row: { original } }) => <RelativeTime at={original.occurredAt} /> },
  { id: 'replay', header: '', cell: ({ row: { original } }) => <Replay delivery={original} /> },
];

/** An event endpoint with its latest deliveries. */
export function EndpointPage() {
  const { workspaceId, endpointId } = route.useParams();
  const query = useQuery(eventEndpointQuery(endpointId));
  const deliveries = useQuery(eventDeliveriesQuery(endpointId));
  if (query.isError && !query.data) return <Broken error={query.error} reset={() => void query.refetch()} />;
  if (!query.data) return <Loading />;
  const endpoint = query.data;
  return (
    <Page
      title={endpoint.url}
      above={
        <Breadcrumbs>
          <AnchorLink size="sm" to="/w/$workspaceId/event-endpoints" params={{ workspaceId }}>
            {i18n.t('Event endpoints')}
          </AnchorLink>
        </Breadcrumbs>
      }
      actions={<Actions endpoint={endpoint} />}
    >
      <Stack gap="lg">
        <Group gap="lg">
          <StatusBadge status={statusOf(endpoint)} />
          <Text size="sm">{endpoint.eventTypes?.join(', ') ?? i18n.t('All events')}</Text>
          {endpoint.tags !== null && (
            <Text size="sm">{i18n.t('Tags: {tags}', { tags: endpoint.tags.join(', ') })}</Text>
          )}
          {endpoint.workflowIds !== null && (
            <Text size="sm">
              {i18n.t('{count, plural, one {# workflow} other {# workflows}}', { count: endpoint.workflowIds.length })}
            </Text>
          )}
          {endpoint.description !== '' && <Text size="sm">{endpoint.description}</Text>}
          {describeReason(endpoint) !== undefined && <Text size="sm">{describeReason(endpoint)}</Text>}
        </Group>
        <section>
          <Title order={2} size="h4" mb="xs">
            {i18n.t('Deliveries')}
          </Title>
          <Listing
            label={i18n.t('Deliveries')}
            query={deliveries}
            columns={COLUMNS}
            keyOf={({ id }) => id}
            empty={
              <EmptyState title={i18n.t('No deliveries yet')}>
                {i18n.t('Send a test event to try the endpoint.')}
              </EmptyState>
            }
          />
        </section>
      </Stack>
    </Page>
  );
}

function Replay({ delivery: { id, endpointId, type, status } }: { delivery: EventDelivery }) {
  const queryClient = useQueryClient();
  if (status === 'pending') return null;
  return (
    <ReplayButton
      type={type}
      replay={() => replayDelivery(endpointId, id)}
      onSettled={() => queryClient.invalidateQueries({ queryKey: eventDeliveriesQuery(endpointId).queryKey })}
    />
  );
}

function Actions({ endpoint }: { endpoint: EventEndpoint }) {
  const { id, workspaceId, url, enabled } = endpoint;
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const [secret, setSecret] = useState<EventSecret>();
  const [dialog, setDialog] = useState<'edit' | 'replay'>();
  const close = (): void => setDialog(undefined);
  const refresh = async (): Promise<void> => {
    await queryClient.invalidateQueries({ queryKey: eventEndpointQuery(id).queryKey });
    await queryClient.invalidateQueries({ queryKey: eventEndpointsQuery(workspaceId).queryKey });
  };
  const options = { onError: notifyProblem, onSettled: refresh };
  const test = useMutation({ mutationFn: () => sendTestEvent(id), ...options });
  const toggle = useMutation({ mutationFn: () => updateEventEndpoint(id, { enabled: !enabled }), ...options });
  const rotate = useMutation({ mutationFn: () => rotateEventSecret(id), onError: notifyProblem, onSuccess: setSecret });
  return (
    <>
      <Button variant="default" leftSection={<Pencil size={16} aria-hidden />} onClick={() => setDialog('edit')}>
        {i18n.t('Edit')}
      </Button>
      <Button
        variant="default"
        leftSection={<Send size={16} aria-hidden />}
        disabled={!enabled || test.isPending}
        onClick={() => test.mutate()}
      >
        {i18n.t('Send test event')}
      </Button>
      <Button
        variant="default"
        leftSection={<History size={16} aria-hidden />}
        disabled={!enabled}
        onClick={() => setDialog('replay')}
      >
        {i18n.t('Replay deliveries')}
      </Button>
      <Button
        variant="default"
        leftSection={<KeyRound size={16} aria-hidden />}
        loading={rotate.isPending}
        onClick={() => rotate.mutate()}
      >
        {i18n.t('Rotate secret')}
      </Button>
      <Button
        variant="default"
        leftSection={enabled ? <PowerOff size={16} aria-hidden /> : <Power size={16} aria-hidden />}
        loading={toggle.isPending}
        onClick={() => toggle.mutate()}
      >
        {enabled ? i18n.t('Disable') : i18n.t('Enable')}
      </Button>
      <ConfirmButton
        label={i18n.t('Delete')}
        of={url}
        question={i18n.t('Delete this event endpoint?')}
        consequence={i18n.t('Pending events are not delivered.')}
        act={async () => {
          await deleteEventEndpoint(id);
          await queryClient.invalidateQueries({ queryKey: eventEndpointsQuery(workspaceId).queryKey });
          await navigate({ to: '/w/$workspaceId/event-endpoints', params: { workspaceId } });
        }}
      />
      {dialog === 'edit' && (
        <EndpointForm
          endpoint={endpoint}
          act={async (fields) => {
            await updateEventEndpoint(id, fields);
            void refresh();
          }}
          onClose={close}
        />
      )}
      {dialog === 'replay' && <ReplayRange endpointId={id} onClose={close} />}
      {secret && (
        <SecretShown
          title={i18n.t('Secret rotated: the former one stays valid for a day')}
          secret={secret}
          onDone={() => setSecret(undefined)}
        />
      )}
    </>
  );
}
