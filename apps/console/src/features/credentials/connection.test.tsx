import type { CredentialConnection, CredentialEntry } from '@deckhand/contracts';
import { expect, it, jest } from '@jest/globals';
import { screen, within } from '@testing-library/react';
import { ADA, EARLIER, LATER, openConsole, prepareConsole, renderAt, WORKSPACE } from '../../testing/console.tsx';
import { example } from '../../testing/contract.ts';
import { answer, keep, refusal } from '../../testing/fake-api.ts';
import { choose, click, clickFirst, fill } from '../../testing/hands.ts';
import { beginSession } from '../../session/store.ts';

prepareConsole();

const NEW: CredentialConnection = {
  grant: 'authorizationCode',
  status: 'not_connected',
  scopes: [],
  expiresAt: null,
  connectedAt: null,
  refreshedAt: null,
  lastUsedAt: null,
  lastError: null,
};
const CONNECTED: Partial<CredentialConnection> = {
  status: 'connected',
  scopes: ['orders'],
  connectedAt: LATER,
  refreshedAt: LATER,
};

/** Keeps one credential of OAuth 2.0, and opens its dialog. */
async function openConnection(connection: Partial<CredentialConnection>, button: string) {
  const credential: CredentialEntry = {
    ...example('POST /api/credentials'),
    ...{
      workspaceId: WORKSPACE.workspaceId,
      name: 'Shop',
      type: 'oauth2',
      ownerId: ADA.id,
      connection: { ...NEW, ...connection },
    },
  };
  const kept = keep('/api/credentials', [credential]);
  answer('GET /api/credentials/:id/workflows', () => ({ data: [{ workflowId: credential.id, name: 'Nightly' }] }));
  await openConsole('/credentials');
  expect((await screen.findByRole('button', { name: 'Connection of Shop' })).textContent).toBe(button);
  await click('button', 'Connection of Shop');
  const dialog = within(await screen.findByRole('dialog'));
  await dialog.findByRole('link', { name: 'Nightly' });
  const change = (next: Partial<CredentialConnection>): void => {
    kept[0] = { ...credential, connection: { ...NEW, ...connection, ...next } };
  };
  return { dialog, change };
}

it('creates a credential of OAuth 2.0 with the members of its grant', async () => {
  const secrets: unknown[] = [];
  keep('/api/credentials', [], ({ secret, ...body }) => {
    secrets.push(secret);
    return { ...example('POST /api/credentials'), ...body };
  });
  await openConsole('/credentials');
  await clickFirst('button', 'New credential');
  const dialog = within(await screen.findByRole('dialog'));
  await fill(/^Name/, 'Shop', dialog);
  await choose('Type', 'OAuth 2.0', dialog);
  await dialog.findByText(`${window.location.origin}/oauth/callback`);
  await fill(/^Client id/, 'id', dialog);
  await fill(/^Authorization url/, 'https://login.example/authorize', dialog);
  await fill(/^Token url/, 'https://login.example/token', dialog);
  await choose(/^Grant/, 'clientCredentials', dialog);
  await fill(/^Client secret/, 'hush', dialog);
  await click('button', 'Save', dialog);
  await screen.findByRole('row', { name: /Shop/ });
  expect(secrets).toEqual([
    { grant: 'clientCredentials', clientId: 'id', clientSecret: 'hush', tokenUrl: 'https://login.example/token' },
  ]);
});

it('connects a credential in a window of the provider', async () => {
  const open = jest.spyOn(window, 'open').mockReturnValue(null);
  const { dialog, change } = await openConnection({}, 'Connect');
  const authorizationUrl = 'https://login.example/authorize?state=s';
  answer('POST /api/credentials/:id/connect', () => ({
    ...{ kind: 'redirect' as const, authorizationUrl, redirectUrl: 'https://deckhand.example/oauth/callback' },
    expiresAt: LATER,
  }));
  await click('button', 'Connect', dialog);
  expect((await dialog.findByRole('link', { name: /^Open it/ })).getAttribute('href')).toBe(authorizationUrl);
  expect(open).toHaveBeenCalledWith(authorizationUrl, '_blank', expect.any(String));
  change(CONNECTED);
  await dialog.findByText('The credential is connected.');
  await dialog.findByText('orders');
  await dialog.findByRole('button', { name: 'Connect again' });
});

it('shows the code for another device until it was entered', async () => {
  const { dialog, change } = await openConnection({ grant: 'deviceCode' }, 'Connect');
  const verificationUrl = 'https://login.example/device';
  answer('POST /api/credentials/:id/connect', () => ({
    ...{ kind: 'device' as const, attempt: 'a', userCode: 'ABCD-EFGH', verificationUrl, pollSeconds: 3_600 },
    expiresAt: LATER,
  }));
  let polls = 0;
  answer('POST /api/credentials/:id/connect/poll', ({ body }) => {
    expect(body).toEqual({ attempt: 'a' });
    polls += 1;
    if (polls > 1) change(CONNECTED);
    // Each response says when the next request is due.
    return polls > 1 ? { state: 'connected' as const } : { state: 'pending' as const, pollSeconds: 1 };
  });
  await click('button', 'Connect', dialog);
  await dialog.findByText('ABCD-EFGH');
  await dialog.findByText('The credential is connected.');
});

it('shows why a credential must be connected again, as text', async () => {
  const message = 'The provider responded with invalid_grant: <img src=x>';
  const lastError = { code: 'invalid_grant', message, at: EARLIER };
  const { dialog } = await openConnection({ ...CONNECTED, status: 'reconnect_needed', lastError }, 'Connect');
  await dialog.findByText(message);
  await dialog.findByText('Reconnect needed');
  expect(document.querySelector('img[src="x"]')).toBeNull();
});

it('finishes the redirect back from a provider with its parameters as they are', async () => {
  const close = jest.spyOn(window, 'close').mockReturnValue(undefined);
  beginSession({ token: 'token', expiresAt: '2099-01-01T00:00:00.000Z' });
  const query = 'code=123456789012345678901&state=s&iss=https%3A%2F%2Flogin.example';
  answer('POST /api/credentials/callback', ({ body }) => {
    expect(body).toEqual({ parameters: query });
    return { credentialId: example('POST /api/credentials').id, workspaceId: WORKSPACE.workspaceId, name: 'Shop' };
  });
  renderAt(`/oauth/callback?${query}`);
  await screen.findByText(/The credential "Shop" is connected/);
  expect(close).toHaveBeenCalledTimes(1);
  expect(window.location.search).toBe('');
});

it('says why a redirect back did not connect', async () => {
  beginSession({ token: 'token', expiresAt: '2099-01-01T00:00:00.000Z' });
  answer('POST /api/credentials/callback', () => refusal('CONNECTION_FAILED'));
  renderAt('/oauth/callback?error=access_denied&state=other');
  await screen.findByText('The credential was not connected.');
  await screen.findByRole('alert');
});
