import type { CreatedEventEndpoint, EventEndpoint } from '@deckhand/contracts';
import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { createEventEndpoint, eventEndpointsQuery } from '../../api/event-endpoints.ts';
import { useWorkspace } from '../../api/use-workspace.ts';
import type { Columns } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Listing } from '../../components/listing.tsx';
import { Page } from '../../components/page.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { i18n } from '../../language/i18n.ts';
import { EndpointForm } from './endpoint-form.tsx';
import { SecretShown } from './secret-shown.tsx';
import { statusOf } from './endpoint-status.ts';

const COLUMNS: Columns<EventEndpoint> = [
  {
    id: 'url',
    header: i18n.t('URL'),
    cell: ({ row: { original } }) => (
      <Link
        to="/w/$workspaceId/event-endpoints/$endpointId"
        params={{ workspaceId: original.workspaceId, endpointId: original.id }}
      >
        {original.url}
      </Link>
    ),
  },
  { id: 'description', header: i18n.t('Description'), cell: ({ row: { original } }) => original.description },
  {
    id: 'events',
    header: i18n.t('Events'),
    cell: ({ row: { original } }) => original.eventTypes?.join(', ') ?? i18n.t('All'),
  },
  {
    id: 'status',
    header: i18n.t('Status'),
    cell: ({ row: { original } }) => <StatusBadge status={statusOf(original)} />,
  },
];

/** The URLs that receive the events of the workspace. Only its admins may see them. */
export function EndpointList() {
  const { workspaceId, can } = useWorkspace();
  const queryClient = useQueryClient();
  const query = useQuery({ ...eventEndpointsQuery(workspaceId), enabled: can('events.manage') });
  const [isCreating, setCreating] = useState(false);
  const [created, setCreated] = useState<CreatedEventEndpoint>();
  if (!can('events.manage')) {
    return (
      <Page title={i18n.t('Event endpoints')}>
        <EmptyState title={i18n.t('For admins')}>
          {i18n.t('Only admins of the workspace manage event endpoints.')}
        </EmptyState>
      </Page>
    );
  }
  const newButton = (
    <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => setCreating(true)}>
      {i18n.t('New event endpoint')}
    </Button>
  );
  return (
    <Page title={i18n.t('Event endpoints')} actions={newButton}>
      <Listing
        label={i18n.t('Event endpoints')}
        query={query}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        empty={
          <EmptyState title={i18n.t('No event endpoints yet')} action={newButton}>
            {i18n.t(
              'An event endpoint is a URL of your own service that gets a signed request when a run starts or ends, or waits for a person.',
            )}
          </EmptyState>
        }
      />
      {isCreating && (
        <EndpointForm
          act={async (fields) => {
            setCreated(await createEventEndpoint({ workspaceId, ...fields }));
            void queryClient.invalidateQueries({ queryKey: eventEndpointsQuery(workspaceId).queryKey });
          }}
          onClose={() => setCreating(false)}
        />
      )}
      {created && (
        <SecretShown
          title={i18n.t('Event endpoint created')}
          secret={created.secret}
          onDone={() => setCreated(undefined)}
        />
      )}
    </Page>
  );
}
