import { describe, expect, it } from '@jest/globals';
import { onlineManager } from '@tanstack/react-query';
import { cleanup, screen, waitFor, within } from '@testing-library/react';
import { ADA, openConsole, prepareConsole, renderAt, WORKSPACE } from '../../testing/console.tsx';
import { example } from '../../testing/contract.ts';
import { answer, refusal } from '../../testing/fake-api.ts';
import { definitionOf, keepWorkflows } from '../../testing/fake-workflows.ts';
import { click, fill } from '../../testing/hands.ts';

prepareConsole();

const PASSWORD = 'correct horse battery';
const SETTINGS = `/w/${WORKSPACE.workspaceId}/settings`;

/** Lets Ada sign in, on an instance that is set up. */
function answerSignIn(): void {
  answer('GET /api/auth/setup', () => ({ isOpen: false }));
  answer('POST /api/auth/login', ({ body: { email, password } }) =>
    email === ADA.email && password === PASSWORD
      ? { token: 'token', expiresAt: '2099-01-01T00:00:00.000Z', user: ADA }
      : refusal('UNAUTHORIZED', 'The e-mail or the password is wrong'),
  );
}

async function signIn(password: string): Promise<void> {
  await fill(/^E-mail/, ADA.email);
  await fill(/^Password/, password);
  await click('button', 'Sign in');
}

describe('the way in', () => {
  it('leads to the setup of a fresh instance, and is closed to setup afterwards', async () => {
    answer('GET /api/auth/setup', () => ({ isOpen: true }));
    renderAt('/sign-in');
    await screen.findByRole('heading', { name: 'Set up Deckhand' });
    answer('GET /api/auth/setup', () => ({ isOpen: false }));
    renderAt('/setup');
    await screen.findByText('It already has an owner.');
    expect(screen.getByRole('link', { name: 'Sign in' })).toBeTruthy();
  });

  it('says what is wrong with a password, and continues to where one wanted to be', async () => {
    answerSignIn();
    answer('GET /api/workspaces/:id/usage', () => example('GET /api/workspaces/:id/usage'));
    answer('GET /api/workflows', () => ({ ...example('GET /api/workflows') }));
    renderAt(SETTINGS);
    await waitFor(() => expect(location.search).toBe(`?next=${encodeURIComponent(SETTINGS)}`));
    await signIn('wrong password');
    const refused = await screen.findByRole('alert');
    await within(refused).findByText('The e-mail or the password is wrong');
    await within(refused).findByText('Check whether Caps Lock is on, and try again.');
    expect(refused.textContent).not.toContain('Sign in again');
    await signIn(PASSWORD);
    await screen.findByRole('heading', { name: 'Settings' });
    expect(location.pathname).toBe(SETTINGS);
  });

  it('says offline that the service cannot be reached, instead of waiting for a connection', async () => {
    answerSignIn();
    answer('POST /api/auth/login', () => Response.error());
    renderAt('/sign-in');
    await screen.findByRole('heading', { name: 'Sign in' });
    onlineManager.setOnline(false);
    await signIn(PASSWORD);
    await within(await screen.findByRole('alert')).findByText('The service cannot be reached');
    onlineManager.setOnline(true);
  });

  it('is shown again to a person whose session has ended', async () => {
    keepWorkflows();
    await openConsole('/workflows');
    answerSignIn();
    answer('GET /api/variables', () => refusal('UNAUTHORIZED'));
    await click('link', 'Variables');
    await screen.findByRole('heading', { name: 'Sign in' });
    expect(location.search).toContain('next=');
    expect(sessionStorage.getItem('deckhand.session')).toBeNull();
  });
});

it('an invite lets somebody in, who can then look but not touch', async () => {
  const workflows = keepWorkflows();
  workflows.add({ name: 'Shipping', definition: definitionOf() });
  const asked: unknown[] = [];
  answer('POST /api/auth/accept-invite', ({ body }) => {
    asked.push(body);
    const { user } = example('GET /api/auth/me');
    const grace = { ...user, name: 'Grace', isAdmin: false };
    answer('GET /api/auth/me', () => ({ user: grace, workspaces: [{ ...WORKSPACE, role: 'viewer' as const }] }));
    return {
      workspaceId: WORKSPACE.workspaceId,
      role: 'viewer' as const,
      token: 'token',
      expiresAt: '2099-01-01T00:00:00.000Z',
      user: grace,
    };
  });
  renderAt('/invite#secret-token');
  await fill(/^Your name/, 'Grace');
  await fill(/^E-mail/, 'grace@example.com');
  await fill(/^Password/, 'a password of some length');
  await click('button', 'Join');
  await screen.findByRole('link', { name: 'Shipping' });
  expect(screen.queryByRole('button', { name: /^New|^Actions/ })).toBeNull();
  const password = 'a password of some length';
  expect(asked).toEqual([{ token: 'secret-token', name: 'Grace', email: 'grace@example.com', password }]);
});

it('an invite for another address says what to do: sign out, or enter the right one', async () => {
  answer('POST /api/auth/accept-invite', () => refusal('FORBIDDEN', 'This invite is for another e-mail address'));
  answer('GET /api/auth/setup', () => example('GET /api/auth/setup'));
  answer('POST /api/auth/sso/logout', () => ({ endSessionUrl: null }));
  keepWorkflows();
  await openConsole('/workflows');
  cleanup();
  renderAt('/invite#secret-token');
  await screen.findByText(`You are signed in as ${ADA.email}. Join to become a member.`);
  await click('button', 'Join');
  const refused = await screen.findByRole('alert');
  await within(refused).findByText('Sign out, then join with the address that was invited.');
  await click('button', 'Sign out');
  await fill(/^Your name/, 'Grace');
  await fill(/^E-mail/, 'ada@example.com');
  await fill(/^Password/, 'a password of some length');
  expect(screen.queryByRole('alert')).toBeNull();
  await click('button', 'Join');
  await screen.findByText('Enter the address that the invite was sent to.');
  expect(location.hash).toBe('#secret-token');
});
