import { expect, it, jest } from '@jest/globals';
import { screen, waitFor, within } from '@testing-library/react';
import { readSession } from '../../session/store.ts';
import { ADA, EARLIER, LATER, openConsole, prepareConsole, renderAt, WORKSPACE } from '../../testing/console.tsx';
import { answer, pageOf, refusal } from '../../testing/fake-api.ts';
import { keepWorkflows } from '../../testing/fake-workflows.ts';
import { click, fill } from '../../testing/hands.ts';

prepareConsole();

const NEXT = `/w/${WORKSPACE.workspaceId}/workflows`;

function answerMethods(): void {
  answer('GET /api/auth/setup', () => ({ isOpen: false }));
  answer('GET /api/auth/methods', () => ({ singleSignOn: { label: 'Sign in with Corp' }, passwordReset: true }));
}

it('opens the page of the identity provider, and goes on to where one wanted to be', async () => {
  const open = jest.spyOn(window, 'open').mockReturnValue(null);
  answerMethods();
  keepWorkflows();
  const authorizationUrl = 'https://login.example/authorize?state=s';
  answer('POST /api/auth/sso/start', ({ body }) => {
    expect(body).toEqual({ next: NEXT });
    return { authorizationUrl };
  });
  renderAt(NEXT);
  await click('button', 'Sign in with Corp');
  await waitFor(() => expect(open).toHaveBeenCalledWith(authorizationUrl, '_self'));
  const query = 'code=123456789012345678901&state=s&iss=https%3A%2F%2Flogin.example';
  answer('POST /api/auth/sso/finish', ({ body }) => {
    expect(body).toEqual({ parameters: query });
    return { token: 'token', expiresAt: '2099-01-01T00:00:00.000Z', user: ADA, next: NEXT };
  });
  renderAt(`/sso/callback?${query}`);
  await waitFor(() => expect(window.location.pathname).toBe(NEXT));
  expect(window.location.search).not.toContain('code=');
  expect(readSession()?.token).toBe('token');
});

it('says why nobody was signed in', async () => {
  answerMethods();
  answer('POST /api/auth/sso/finish', () => refusal('SSO_REFUSED', 'You have no account here: ask for an invite'));
  renderAt('/sso/callback?code=a&state=b');
  await within(await screen.findByRole('alert')).findByText('You have no account here: ask for an invite');
  expect(readSession()).toBeUndefined();
  await click('link', 'Sign in again');
  await screen.findByRole('button', { name: 'Sign in with Corp' });
});

it('ends the session of the identity provider, too', async () => {
  const open = jest.spyOn(window, 'open').mockReturnValue(null);
  answerMethods();
  keepWorkflows();
  answer('POST /api/auth/sso/logout', () => ({ endSessionUrl: 'https://login.example/logout' }));
  await openConsole('/workflows');
  await click('button', `Signed in as ${ADA.name}`);
  await click('menuitem', 'Sign out');
  await waitFor(() => expect(open).toHaveBeenCalledWith('https://login.example/logout', '_self'));
  expect(readSession()).toBeUndefined();
});

it('requests a link to a new password, and says the same whether there is an account', async () => {
  answerMethods();
  const asked: unknown[] = [];
  answer('POST /api/auth/password-resets', ({ body }) => void asked.push(body));
  renderAt('/sign-in');
  await click('link', 'Forgot your password?');
  await fill(/^E-mail/, 'grace@example.com');
  await click('button', 'Send a link');
  await screen.findByText('If there is an account with this address, an e-mail is on its way.');
  expect(asked).toEqual([{ email: 'grace@example.com' }]);
});

it('sets a new password by the link, and says when it is not valid any more', async () => {
  answerMethods();
  const redeemed: unknown[] = [];
  answer('POST /api/auth/password-resets/redeem', ({ body }) => {
    redeemed.push(body);
    return redeemed.length === 1 ? refusal('NOT_FOUND', 'This link is not valid, or not any more') : undefined;
  });
  renderAt('/reset-password#secret-token');
  await fill(/^New password/, 'a password of some length');
  await click('button', 'Set a new password');
  await within(await screen.findByRole('alert')).findByText('This link is not valid, or not any more');
  await click('button', 'Set a new password');
  await screen.findByText('Your new password is set.');
  expect(redeemed.at(-1)).toEqual({ token: 'secret-token', newPassword: 'a password of some length' });
});

it('lists the own sessions, and signs out all other devices', async () => {
  keepWorkflows();
  const session = { createdAt: EARLIER, lastUsedAt: LATER, expiresAt: '2099-01-01T00:00:00.000Z' };
  let sessions = [
    { id: '01900000-0000-7000-8000-000000000001', current: true, userAgent: 'This browser', ...session },
    { id: '01900000-0000-7000-8000-000000000002', current: false, userAgent: 'A lost phone', ...session },
  ];
  answer('GET /api/auth/sessions', () => pageOf(sessions));
  answer('DELETE /api/auth/sessions', () => {
    sessions = sessions.filter(({ current }) => current);
    return new Response(null, { status: 204 });
  });
  await openConsole('/account');
  await screen.findByText('A lost phone');
  await click('button', /^Sign out all other devices/);
  const dialog = within(await screen.findByRole('dialog'));
  await click('button', 'Sign out all other devices', dialog);
  await waitFor(() => expect(screen.queryByText('A lost phone')).toBeNull());
  await screen.findByText('This browser');
});
