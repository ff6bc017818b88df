import { type CredentialEntry, HTTP_CREDENTIAL_TYPES } from '@deckhand/contracts';
import { Button, Group } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { credentialsQuery, deleteCredential } from '../../api/credentials.js';
import { useWorkspace } from '../../api/use-workspace.js';
import { ConfirmButton } from '../../components/confirm-button.js';
import type { Columns } from '../../components/data-table.js';
import { EmptyState } from '../../components/empty-state.js';
import { Listing } from '../../components/listing.js';
import { RelativeTime } from '../../components/relative-time.js';
import { Page } from '../../components/page.js';
import { CreateCredential } from './create-credential.js';
import { LimitRequests } from './limit-requests.js';

const COLUMNS: Columns<CredentialEntry> = [
  { id: 'name', header: 'Name', cell: ({ row: { original } }) => original.name },
  { id: 'type', header: 'Type', cell: ({ row: { original } }) => original.type },
  { id: 'visibility', header: 'Shared with', cell: ({ row: { original } }) => <UsedBy credential={original} /> },
  {
    id: 'hosts',
    header: 'Allowed hosts',
    cell: ({ row: { original } }) => original.allowedHosts?.join(', ') ?? 'Any host',
  },
  { id: 'limits', header: 'Limits', cell: ({ row: { original } }) => describeLimits(original) },
  { id: 'updated', header: 'Changed', cell: ({ row: { original } }) => <RelativeTime at={original.updatedAt} /> },
  { id: 'actions', header: '', cell: ({ row: { original } }) => <Actions credential={original} /> },
];

/** The credentials of the workspace: names and types. Secrets are never shown. */
export function CredentialList() {
  const { workspaceId, can } = useWorkspace();
  const query = useQuery(credentialsQuery(workspaceId));
  const [isCreating, setCreating] = useState(false);
  const newButton = can('editor') && (
    <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => setCreating(true)}>
      New credential
    </Button>
  );
  return (
    <Page title="Credentials" actions={newButton}>
      <Listing
        label="Credentials"
        query={query}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        empty={
          <EmptyState title="No credential yet" action={newButton}>
            A credential is a secret for nodes that is never shown again: a password, a token, a database connection.
          </EmptyState>
        }
      />
      {isCreating && <CreateCredential workspaceId={workspaceId} onClose={() => setCreating(false)} />}
    </Page>
  );
}

function UsedBy({ credential: { visibility, ownerId, allowedWorkflowIds } }: { credential: CredentialEntry }) {
  const { user } = useWorkspace();
  const workflows = allowedWorkflowIds === null ? '' : `, in ${allowedWorkflowIds.length} of the workflows`;
  if (visibility === 'shared') return `Everyone${workflows}`;
  return `${ownerId === user.id ? 'Only you' : 'Only its owner'}${workflows}`;
}

function describeLimits({ rateLimit, circuit }: CredentialEntry): string {
  const rate = rateLimit && `${rateLimit.requests.toLocaleString('en')} per ${rateLimit.per}`;
  return [rate, circuit && 'circuit breaker'].filter((part) => part !== null).join(', ');
}

function Actions({ credential }: { credential: CredentialEntry }) {
  const { id, name, type, visibility, ownerId } = credential;
  const { workspaceId, user, can } = useWorkspace();
  const queryClient = useQueryClient();
  const [isLimiting, setLimiting] = useState(false);
  const isOwner = ownerId === user.id;
  if (!can(visibility === 'private' && !isOwner ? 'admin' : 'editor')) return null;
  const mayLimit = isOwner || (visibility === 'shared' && can('admin'));
  return (
    <Group gap="xs" wrap="nowrap" justify="flex-end">
      {mayLimit && HTTP_CREDENTIAL_TYPES.includes(type) && (
        <Button variant="default" size="compact-sm" aria-label={`Limits of ${name}`} onClick={() => setLimiting(true)}>
          Limits
        </Button>
      )}
      <ConfirmButton
        label="Delete"
        of={name}
        question={`Delete the credential "${name}"?`}
        consequence="Nodes that use it will fail."
        act={async () => {
          await deleteCredential(id);
          await queryClient.invalidateQueries({ queryKey: credentialsQuery(workspaceId).queryKey });
        }}
      />
      {isLimiting && <LimitRequests credential={credential} onClose={() => setLimiting(false)} />}
    </Group>
  );
}
