import { expect, it } from '@jest/globals';
import { screen } from '@testing-library/react';
import { beginSession } from '../../session/store.ts';
import { ADA, prepareConsole, renderAt, WORKSPACE } from '../../testing/console.tsx';
import { example } from '../../testing/contract.ts';
import { answer, refusal } from '../../testing/fake-api.ts';
import { click, fill } from '../../testing/hands.ts';

prepareConsole();

const DEVICE = example('GET /api/auth/devices/:id');
const PASSWORD = 'correct horse battery';

it('lets the command line in after the sign-in, with the code to compare, a workspace and the password', async () => {
  const allowed: unknown[] = [];
  answer('GET /api/auth/setup', () => ({ isOpen: false }));
  answer('POST /api/auth/login', () => ({ token: 'token', expiresAt: '2099-01-01T00:00:00.000Z', user: ADA }));
  answer('GET /api/auth/devices/:id', () => DEVICE);
  answer('POST /api/auth/devices/:id/approve', ({ params, body }) => {
    if (body.password !== PASSWORD) return refusal('FORBIDDEN', 'The password is wrong');
    allowed.push({ id: params.id, ...body });
    return undefined;
  });
  renderAt(`/device#${DEVICE.id}`);
  await fill(/^E-mail/, ADA.email);
  await fill(/^Password/, PASSWORD);
  await click('button', 'Sign in');
  expect((await screen.findByLabelText('Code')).textContent).toBe(DEVICE.code);
  await screen.findByText(`${DEVICE.name}, from the address ${DEVICE.address}, asks for access.`);
  await fill(/^Password/, 'wrong');
  await click('button', 'Allow');
  await screen.findByText('The password is wrong');
  expect(allowed).toEqual([]);
  await fill(/^Password/, PASSWORD);
  await click('button', 'Allow');
  await screen.findByText('The command line is signed in. You can close this page.');
  expect(allowed).toEqual([{ id: DEVICE.id, workspaceId: WORKSPACE.workspaceId, password: PASSWORD }]);
});

it('says so when a sign-in of the command line has expired', async () => {
  answer('GET /api/auth/devices/:id', () =>
    refusal('NOT_FOUND', 'This sign-in does not exist, has expired or was used'),
  );
  beginSession({ token: 'token', expiresAt: '2099-01-01T00:00:00.000Z' });
  renderAt(`/device#${DEVICE.id}`);
  await screen.findByText(/has expired or was used/);
  expect(screen.queryByRole('button', { name: 'Allow' })).toBeNull();
});
