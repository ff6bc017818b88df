import type { ApiKeyEntry } from '@deckhand/contracts';
import { Button, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { apiKeysQuery, revokeApiKey } from '../../api/api-keys.js';
import { ConfirmButton } from '../../components/confirm-button.js';
import type { Columns } from '../../components/data-table.js';
import { EmptyState } from '../../components/empty-state.js';
import { Listing } from '../../components/listing.js';
import { RelativeTime } from '../../components/relative-time.js';
import { Page } from '../../components/page.js';
import { CreateKey } from './create-key.js';
import { RotateKey } from './rotate-key.js';

const COLUMNS: Columns<ApiKeyEntry> = [
  { id: 'name', header: 'Name', cell: ({ row: { original } }) => original.name },
  { id: 'prefix', header: 'Prefix', cell: ({ row: { original } }) => <code>{original.keyPrefix}…</code> },
  { id: 'access', header: 'Access', cell: ({ row: { original } }) => original.access },
  { id: 'state', header: 'State', cell: ({ row: { original } }) => original.state },
  { id: 'created', header: 'Created', cell: ({ row: { original } }) => <RelativeTime at={original.createdAt} /> },
  { id: 'used', header: 'Last used', cell: ({ row: { original } }) => <RelativeTime at={original.lastUsedAt} /> },
  {
    id: 'expires',
    header: 'Expires',
    cell: ({ row: { original } }) => original.expiresAt?.slice(0, 10) ?? 'Never',
  },
  { id: 'actions', header: '', cell: ({ row: { original } }) => <Actions entry={original} /> },
];

/** The person's API keys. */
export function KeyList() {
  const query = useQuery(apiKeysQuery);
  const [isCreating, creating] = useDisclosure(false);
  const newButton = (
    <Button leftSection={<Plus size={16} aria-hidden />} onClick={creating.open}>
      New API key
    </Button>
  );
  return (
    <Page title="API keys" actions={newButton}>
      <Listing
        label="API keys"
        query={query}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        empty={
          <EmptyState title="No API key yet" action={newButton}>
            A key gives a program your access, limited to its scopes: start runs, read their results, decide approvals.
          </EmptyState>
        }
      />
      <CreateKey isOpen={isCreating} onClose={creating.close} />
    </Page>
  );
}

function Actions({ entry: { id, name, state } }: { entry: ApiKeyEntry }) {
  const queryClient = useQueryClient();
  if (state !== 'Active') return null;
  return (
    <Group gap="xs" wrap="nowrap">
      <RotateKey id={id} name={name} />
      <ConfirmButton
        label="Revoke"
        of={name}
        question={`Revoke the key "${name}"?`}
        consequence="All requests with it will be refused. This cannot be undone."
        act={async () => {
          await revokeApiKey(id);
          await queryClient.invalidateQueries({ queryKey: apiKeysQuery.queryKey });
        }}
      />
    </Group>
  );
}
