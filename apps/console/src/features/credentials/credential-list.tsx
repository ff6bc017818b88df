import { type CredentialEntry, LIMITED_CREDENTIAL_TYPES } from '@deckhand/contracts';
import { Button, Group } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { credentialsQuery, deleteCredential, limitCredential, type Traffic } from '../../api/credentials.ts';
import { useWorkspace } from '../../api/use-workspace.ts';
import { ConfirmButton } from '../../components/confirm-button.tsx';
import type { Columns } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { Listing } from '../../components/listing.tsx';
import { Page } from '../../components/page.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { i18n } from '../../language/i18n.ts';
import { ConnectionBadge, ConnectionDialog } from './connection.tsx';
import { CreateCredential, TYPE_LABELS } from './create-credential.tsx';
import { EditCredential } from './edit-credential.tsx';
import { TestBadge, TestDialog } from './test-credential.tsx';
import { TrafficFields } from './traffic-fields.tsx';

const COLUMNS: Columns<CredentialEntry> = [
  { id: 'name', header: i18n.t('Name'), cell: ({ row: { original } }) => original.name },
  { id: 'type', header: i18n.t('Type'), cell: ({ row: { original } }) => TYPE_LABELS[original.type] },
  {
    id: 'visibility',
    header: i18n.t('Shared with'),
    cell: ({ row: { original } }) => <UsedBy credential={original} />,
  },
  {
    id: 'hosts',
    header: i18n.t('Allowed hosts'),
    cell: ({ row: { original } }) => original.allowedHosts?.join(', ') ?? i18n.t('Any host'),
  },
  {
    id: 'connection',
    header: i18n.t('Connection'),
    cell: ({ row: { original } }) => original.connection && <ConnectionBadge status={original.connection.status} />,
  },
  {
    id: 'test',
    header: i18n.t('Last test'),
    cell: ({ row: { original } }) => original.lastTest && <TestBadge ok={original.lastTest.ok} />,
  },
  { id: 'limits', header: i18n.t('Limits'), cell: ({ row: { original } }) => describeLimits(original) },
  {
    id: 'updated',
    header: i18n.t('Changed'),
    cell: ({ row: { original } }) => <RelativeTime at={original.updatedAt} />,
  },
  { id: 'actions', header: '', cell: ({ row: { original } }) => <Actions credential={original} /> },
];

/** The credentials of the workspace: names and types. Secrets are never shown. */
export function CredentialList() {
  const { workspaceId, can } = useWorkspace();
  const query = useQuery(credentialsQuery(workspaceId));
  const [isCreating, setCreating] = useState(false);
  const newButton = can('credentials.change') && (
    <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => setCreating(true)}>
      {i18n.t('New credential')}
    </Button>
  );
  return (
    <Page title={i18n.t('Credentials')} actions={newButton}>
      <Listing
        label={i18n.t('Credentials')}
        query={query}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        empty={
          <EmptyState title={i18n.t('No credential yet')} action={newButton}>
            {i18n.t(
              'A credential is a secret for nodes that is never shown again: a password, a token, a database connection.',
            )}
          </EmptyState>
        }
      />
      {isCreating && <CreateCredential workspaceId={workspaceId} onClose={() => setCreating(false)} />}
    </Page>
  );
}

function UsedBy({ credential: { visibility, ownerId, allowedWorkflowIds } }: { credential: CredentialEntry }) {
  const { user } = useWorkspace();
  const isOwner = ownerId === user.id;
  if (allowedWorkflowIds === null) {
    if (visibility === 'shared') return i18n.t('Everyone');
    return isOwner ? i18n.t('Only you') : i18n.t('Only its owner');
  }
  const count = allowedWorkflowIds.length;
  if (visibility === 'shared') return i18n.t('Everyone, in {count} of the workflows', { count });
  return isOwner
    ? i18n.t('Only you, in {count} of the workflows', { count })
    : i18n.t('Only its owner, in {count} of the workflows', { count });
}

function describeLimits({ rateLimit, circuit }: CredentialEntry): string {
  const rate =
    rateLimit &&
    (rateLimit.per === 'second'
      ? i18n.t('{requests, number} per second', { requests: rateLimit.requests })
      : i18n.t('{requests, number} per minute', { requests: rateLimit.requests }));
  return [rate, circuit && i18n.t('circuit breaker')].filter((part) => part !== null).join(', ');
}

function Actions({ credential }: { credential: CredentialEntry }) {
  const { id, name, type, visibility, ownerId, connection } = credential;
  const { workspaceId, user, can } = useWorkspace();
  const queryClient = useQueryClient();
  const [isEditing, setEditing] = useState(false);
  const [isTesting, setTesting] = useState(false);
  const [isLimiting, setLimiting] = useState(false);
  const [isConnecting, setConnecting] = useState(false);
  const isOwner = ownerId === user.id;
  if (!can(visibility === 'private' && !isOwner ? 'credentials.manage' : 'credentials.change')) return null;
  const mayLimit = isOwner || (visibility === 'shared' && can('credentials.manage'));
  return (
    <Group gap="xs" wrap="nowrap" justify="flex-end">
      {connection && (
        <Button
          variant={connection.status === 'connected' ? 'default' : 'filled'}
          size="compact-sm"
          aria-label={i18n.t('Connection of {name}', { name })}
          onClick={() => setConnecting(true)}
        >
          {connection.status === 'connected' ? i18n.t('Connection') : i18n.t('Connect')}
        </Button>
      )}
      {(visibility === 'shared' || isOwner) && (
        <Button
          variant="default"
          size="compact-sm"
          aria-label={i18n.t('Edit {name}', { name })}
          onClick={() => setEditing(true)}
        >
          {i18n.t('Edit')}
        </Button>
      )}
      {(visibility === 'shared' || isOwner) && (
        <Button
          variant="default"
          size="compact-sm"
          aria-label={i18n.t('Test {name}', { name })}
          onClick={() => setTesting(true)}
        >
          {i18n.t('Test')}
        </Button>
      )}
      {mayLimit && LIMITED_CREDENTIAL_TYPES.includes(type) && (
        <Button
          variant="default"
          size="compact-sm"
          aria-label={i18n.t('Limits of {name}', { name })}
          onClick={() => setLimiting(true)}
        >
          {i18n.t('Limits')}
        </Button>
      )}
      <ConfirmButton
        label={i18n.t('Delete')}
        of={name}
        question={i18n.t('Delete the credential "{name}"?', { name })}
        consequence={i18n.t('Nodes that use it will fail.')}
        act={async () => {
          await deleteCredential(id);
          await queryClient.invalidateQueries({ queryKey: credentialsQuery(workspaceId).queryKey });
        }}
      />
      {isConnecting && connection && (
        <ConnectionDialog
          credential={credential}
          connection={connection}
          canConnect={visibility === 'shared' || isOwner}
          onClose={() => setConnecting(false)}
        />
      )}
      {isEditing && (
        <EditCredential
          credential={credential}
          mayLimit={mayLimit}
          onTest={() => {
            setEditing(false);
            setTesting(true);
          }}
          onClose={() => setEditing(false)}
        />
      )}
      {isTesting && <TestDialog credential={credential} onClose={() => setTesting(false)} />}
      {isLimiting && <LimitRequests credential={credential} onClose={() => setLimiting(false)} />}
    </Group>
  );
}

/** Changes the limits of the requests of a credential. */
function LimitRequests({
  credential: { id, workspaceId, name, rateLimit, circuit },
  onClose,
}: {
  credential: CredentialEntry;
  onClose: () => void;
}) {
  const queryClient = useQueryClient();
  const traffic: Traffic = { rateLimit: rateLimit && { ...rateLimit }, circuit: circuit && { ...circuit } };
  return (
    <FormDialog
      title={i18n.t('Requests with "{name}"', { name })}
      initial={traffic}
      submit={i18n.t('Save')}
      act={async (values) => {
        await limitCredential(id, values);
        await queryClient.invalidateQueries({ queryKey: credentialsQuery(workspaceId).queryKey });
      }}
      onClose={onClose}
    >
      {({ values, set }) => <TrafficFields traffic={values} onChange={set} />}
    </FormDialog>
  );
}
