import type { ApiKeyEntry } from '@deckhand/contracts';
import { Button, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { apiKeysQuery, revokeApiKey } from '../../api/api-keys.ts';
import { ConfirmButton } from '../../components/confirm-button.tsx';
import type { Columns } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Listing } from '../../components/listing.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Page } from '../../components/page.tsx';
import { i18n } from '../../language/i18n.ts';
import { CreateKey } from './create-key.tsx';
import { ACCESS } from './key-made.tsx';
import { RotateKey } from './rotate-key.tsx';

const STATES: Readonly<Record<ApiKeyEntry['state'], string>> = {
  Active: i18n.t('Active'),
  Revoked: i18n.t('Revoked'),
  Expired: i18n.t('Expired'),
};

const COLUMNS: Columns<ApiKeyEntry> = [
  { id: 'name', header: i18n.t('Name'), cell: ({ row: { original } }) => original.name },
  { id: 'prefix', header: i18n.t('Prefix'), cell: ({ row: { original } }) => <code>{original.keyPrefix}…</code> },
  {
    id: 'access',
    header: i18n.t('Access'),
    cell: ({ row: { original } }) => ACCESS[original.access] ?? original.access,
  },
  { id: 'state', header: i18n.t('State'), cell: ({ row: { original } }) => STATES[original.state] },
  {
    id: 'created',
    header: i18n.t('Created'),
    cell: ({ row: { original } }) => <RelativeTime at={original.createdAt} />,
  },
  {
    id: 'used',
    header: i18n.t('Last used'),
    cell: ({ row: { original } }) => <RelativeTime at={original.lastUsedAt} />,
  },
  {
    id: 'expires',
    header: i18n.t('Expires'),
    cell: ({ row: { original } }) => original.expiresAt?.slice(0, 10) ?? i18n.t('Never'),
  },
  { id: 'actions', header: '', cell: ({ row: { original } }) => <Actions entry={original} /> },
];

/** The person's API keys. */
export function KeyList() {
  const query = useQuery(apiKeysQuery);
  const [isCreating, creating] = useDisclosure(false);
  const newButton = (
    <Button leftSection={<Plus size={16} aria-hidden />} onClick={creating.open}>
      {i18n.t('New API key')}
    </Button>
  );
  return (
    <Page title={i18n.t('API keys')} actions={newButton}>
      <Listing
        label={i18n.t('API keys')}
        query={query}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        empty={
          <EmptyState title={i18n.t('No API key yet')} action={newButton}>
            {i18n.t(
              'A key gives a program your access, limited to its scopes: start runs, read their results, decide approvals.',
            )}
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
        label={i18n.t('Revoke')}
        of={name}
        question={i18n.t('Revoke the key "{name}"?', { name })}
        consequence={i18n.t('All requests with it will be refused. This cannot be undone.')}
        act={async () => {
          await revokeApiKey(id);
          await queryClient.invalidateQueries({ queryKey: apiKeysQuery.queryKey });
        }}
      />
    </Group>
  );
}
