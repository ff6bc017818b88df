import type { ConnectionStatus, CredentialConnection, CredentialEntry, StartedConnection } from '@deckhand/contracts';
import { Anchor, Badge, Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Fragment, type ReactNode, useEffect, useState } from 'react';
import { connectCredential, credentialsQuery, credentialUsesQuery, devicePollQuery } from '../../api/credentials.ts';
import { CopyText } from '../../components/copy-text.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { AnchorLink } from '../../components/links.tsx';
import { Problem } from '../../components/problem.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { i18n } from '../../language/i18n.ts';

const STATUSES: Readonly<Record<ConnectionStatus, { readonly label: string; readonly color: string }>> = {
  not_connected: { label: i18n.t('Not connected'), color: 'gray' },
  connected: { label: i18n.t('Connected'), color: 'green' },
  reconnect_needed: { label: i18n.t('Reconnect needed'), color: 'red' },
};

/** How often the list is read while a window of the provider is open, in ms: it cannot notify this one. */
const CHECK_MS = 2_000;
/** The window of the provider. */
const WINDOW = 'popup,width=560,height=720';

/** The address that a provider redirects to; this console is at PUBLIC_URL. */
export function redirectUrl(): string {
  return `${window.location.origin}/oauth/callback`;
}

/** The status of a connection. */
export function ConnectionBadge({ status }: Pick<CredentialConnection, 'status'>) {
  const { label, color } = STATUSES[status];
  return (
    <Badge variant="light" color={color}>
      {label}
    </Badge>
  );
}

/** A dialog with the health of a connection, where it is used, and the button to connect it. */
export function ConnectionDialog({
  credential,
  connection,
  canConnect,
  onClose,
}: {
  credential: CredentialEntry;
  connection: CredentialConnection;
  canConnect: boolean;
  onClose: () => void;
}) {
  const { name } = credential;
  return (
    <Dialog title={i18n.t('Connection of "{name}"', { name })} onClose={onClose}>
      <Stack>
        <Group>
          <ConnectionBadge status={connection.status} />
          {connection.lastError && <Text size="sm">{connection.lastError.message}</Text>}
        </Group>
        <Facts connection={connection} />
        <Uses credential={credential} />
        {canConnect && <Connect credential={credential} connection={connection} />}
      </Stack>
    </Dialog>
  );
}

function Facts({
  connection: { scopes, expiresAt, connectedAt, refreshedAt, lastUsedAt },
}: {
  connection: CredentialConnection;
}) {
  const at = (time: string | null): ReactNode => (time === null ? i18n.t('Never') : <RelativeTime at={time} />);
  const facts: readonly (readonly [string, ReactNode])[] = [
    [i18n.t('Scopes'), scopes.length === 0 ? '–' : scopes.join(' ')],
    [i18n.t('Connected'), at(connectedAt)],
    [i18n.t('Token issued'), at(refreshedAt)],
    [i18n.t('Token expires'), expiresAt === null ? '–' : <RelativeTime at={expiresAt} />],
    [i18n.t('Last used'), at(lastUsedAt)],
  ];
  return (
    <dl style={{ display: 'grid', gridTemplateColumns: 'auto 1fr', gap: '4px 16px', margin: 0 }}>
      {facts.map(([label, value]) => (
        <Fragment key={label}>
          <dt>{label}</dt>
          <dd style={{ margin: 0, overflowWrap: 'anywhere' }}>{value}</dd>
        </Fragment>
      ))}
    </dl>
  );
}

function Uses({ credential: { id, workspaceId } }: { credential: CredentialEntry }) {
  const { data, error } = useQuery(credentialUsesQuery(id));
  if (error) return <Problem error={error} />;
  if (!data) return null;
  if (data.data.length === 0) return <Text size="sm">{i18n.t('No workflow uses it.')}</Text>;
  return (
    <Stack gap={4}>
      <Text size="sm">{i18n.t('Used by these workflows:')}</Text>
      {data.data.map(({ workflowId, name }) => (
        <AnchorLink
          key={workflowId}
          size="sm"
          to="/w/$workspaceId/workflows/$workflowId"
          params={{ workspaceId, workflowId }}
        >
          {name}
        </AnchorLink>
      ))}
    </Stack>
  );
}

function Connect({
  credential: { id, workspaceId },
  connection,
}: {
  credential: CredentialEntry;
  connection: CredentialConnection;
}) {
  const queryClient = useQueryClient();
  const refresh = () => queryClient.invalidateQueries({ queryKey: credentialsQuery(workspaceId).queryKey });
  const start = useMutation({
    mutationFn: () => connectCredential(id),
    async onSuccess(started) {
      if (started.kind === 'redirect') window.open(started.authorizationUrl, '_blank', WINDOW);
      await refresh();
    },
  });
  const [connectedBefore, setConnectedBefore] = useState<string | null>(null);
  const isDone = connection.status === 'connected' && connection.connectedAt !== connectedBefore;
  const pending = start.data !== undefined && start.data.kind !== 'connected' && !isDone ? start.data : undefined;
  return (
    <Stack>
      {connection.grant === 'authorizationCode' && (
        <Stack gap={4}>
          <Text size="sm">{i18n.t('Register this redirect URL with the provider:')}</Text>
          <CopyText label={i18n.t('Redirect URL')} text={redirectUrl()} />
        </Stack>
      )}
      <Problem error={start.error} />
      {pending && <Pending id={id} started={pending} refresh={refresh} />}
      {start.isSuccess && !pending && <Text role="status">{i18n.t('The credential is connected.')}</Text>}
      <Group justify="flex-end">
        <Button
          loading={start.isPending}
          onClick={() => {
            setConnectedBefore(connection.connectedAt);
            start.mutate();
          }}
        >
          {connection.status === 'not_connected' ? i18n.t('Connect') : i18n.t('Connect again')}
        </Button>
      </Group>
    </Stack>
  );
}

/** What the person does next, and the wait for it. */
function Pending({
  id,
  started,
  refresh,
}: {
  id: string;
  started: Exclude<StartedConnection, { readonly kind: 'connected' }>;
  refresh: () => Promise<void>;
}) {
  if (started.kind === 'device') return <DeviceCode id={id} started={started} refresh={refresh} />;
  return <Redirect url={started.authorizationUrl} refresh={refresh} />;
}

function Redirect({ url, refresh }: { url: string; refresh: () => Promise<void> }) {
  useEffect(() => {
    const timer = setInterval(() => void refresh(), CHECK_MS);
    return () => clearInterval(timer);
  }, [refresh]);
  return (
    <Text size="sm" role="status">
      {i18n.t('Allow access in the window of the provider.')}{' '}
      <Anchor href={url} target="_blank" rel="noreferrer" size="sm">
        {i18n.t('Open it, if your browser has not')}
      </Anchor>
    </Text>
  );
}

function DeviceCode({
  id,
  started: { attempt, userCode, verificationUrl, pollSeconds },
  refresh,
}: {
  id: string;
  started: Extract<StartedConnection, { readonly kind: 'device' }>;
  refresh: () => Promise<void>;
}) {
  const { data, error } = useQuery(devicePollQuery(id, attempt, pollSeconds));
  const isConnected = data?.state === 'connected';
  useEffect(() => {
    if (isConnected) void refresh();
  }, [isConnected, refresh]);
  return (
    <Stack gap={4}>
      <Text size="sm">{i18n.t('Enter this code on the page of the provider:')}</Text>
      <CopyText label={i18n.t('Code')} text={userCode} />
      <Anchor href={verificationUrl} target="_blank" rel="noreferrer" size="sm">
        {verificationUrl}
      </Anchor>
      <Problem error={error} />
    </Stack>
  );
}
