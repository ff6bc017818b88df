import type { SessionEntry } from '@deckhand/contracts';
import { Title } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { revokeSession, sessionsQuery } from '../../api/people.js';
import { ConfirmButton } from '../../components/confirm-button.js';
import type { Columns } from '../../components/data-table.js';
import { Listing } from '../../components/listing.js';
import { RelativeTime } from '../../components/relative-time.js';
import { Page } from '../../components/page.js';
import { ChangePassword } from './change-password.js';

const COLUMNS: Columns<SessionEntry> = [
  { id: 'agent', header: 'Browser', cell: ({ row: { original } }) => original.userAgent || 'Unknown' },
  { id: 'created', header: 'Signed in', cell: ({ row: { original } }) => <RelativeTime at={original.createdAt} /> },
  { id: 'used', header: 'Last used', cell: ({ row: { original } }) => <RelativeTime at={original.lastUsedAt} /> },
  { id: 'end', header: '', cell: ({ row: { original } }) => <End session={original} /> },
];

/** The person's own password and sessions. */
export function AccountPage() {
  const query = useQuery(sessionsQuery);
  return (
    <Page title="Your account">
      <ChangePassword />
      <Title order={2} size="h4" mt="xl" mb="sm">
        Sessions
      </Title>
      <Listing label="Sessions" query={query} columns={COLUMNS} keyOf={({ id }) => id} empty={null} />
    </Page>
  );
}

function End({ session: { id, current, userAgent } }: { session: SessionEntry }) {
  const queryClient = useQueryClient();
  if (current) return 'This device';
  return (
    <ConfirmButton
      label="Sign out"
      of={`the session of ${userAgent}`}
      question="Sign out this device?"
      consequence="The person who uses it has to sign in again."
      act={async () => {
        await revokeSession(id);
        await queryClient.invalidateQueries({ queryKey: sessionsQuery.queryKey });
      }}
    />
  );
}
