import type { ApiKeyEntry, Role } from '@deckhand/contracts';
import { describe, expect, it } from '@jest/globals';
import { screen, within } from '@testing-library/react';
import { ADA, openConsole, prepareConsole, WORKSPACE } from '../../testing/console.tsx';
import { example } from '../../testing/contract.ts';
import { answer, keep, refusal } from '../../testing/fake-api.ts';
import { choose, click, clickFirst, fill } from '../../testing/hands.ts';
import { newId } from '../../testing/new-id.ts';

prepareConsole();

const PASSWORD = 'correct horse battery';
const KEY = `dk_${'k'.repeat(43)}`;

/** Keeps the person's keys as the API does. @returns them, and the bodies of the requests that made them. */
function keepKeys() {
  const made: unknown[] = [];
  const keys: ApiKeyEntry[] = keep('/api/api-keys', []);
  answer('POST /api/api-keys', ({ body }) => {
    if (body.password !== PASSWORD) return refusal('FORBIDDEN');
    const { name, expiresAt = null, workspaceId = null, preset } = body;
    const access = preset === 'read-write' ? 'Read + write' : 'Read-only';
    const key = { ...example('POST /api/api-keys'), name, expiresAt, workspaceId, access, key: KEY };
    made.push(body);
    keys.push({ ...example('GET /api/api-keys').data[0]!, id: newId(), name, expiresAt, workspaceId, access });
    return key;
  });
  answer('POST /api/api-keys/:id/revoke', ({ params }) => {
    const entry: ApiKeyEntry = { ...keys.find(({ id }) => id === params.id)!, state: 'Revoked' };
    keys.splice(0, keys.length, entry);
    return entry;
  });
  return { keys, made };
}

async function openForm() {
  await openConsole('/api-keys');
  await clickFirst('button', 'New API key');
  return within(await screen.findByRole('dialog'));
}

it('is Read-only with Advanced closed, shown once, and refused once it is revoked', async () => {
  const { made } = keepKeys();
  const dialog = await openForm();
  await fill(/^Name/, 'Reports', dialog);
  await fill(/^Your password/, PASSWORD, dialog);
  await click('button', 'Create key', dialog);
  expect((await dialog.findByLabelText('API key')).textContent).toBe(KEY);
  // Without a choice, the API makes a key that is read-only.
  const { workspaceId } = WORKSPACE;
  expect(made).toEqual([
    { name: 'Reports', password: PASSWORD, saveAsCredential: true, credentialWorkspaceId: workspaceId },
  ]);
  await click('button', 'I have copied it', dialog);
  const table = within(await screen.findByRole('table', { name: 'API keys' }));
  await table.findByText('Read-only');
  expect(document.documentElement.outerHTML).not.toContain(KEY);
  await click('button', 'Revoke Reports');
  await click('button', 'Revoke', within(await screen.findByRole('dialog')));
  await table.findByText('Revoked');
});

it('may do more when that is asked for under Advanced; a wrong password makes none', async () => {
  const { keys, made } = keepKeys();
  const dialog = await openForm();
  await fill(/^Name/, 'Deploys', dialog);
  await fill(/^Your password/, 'not my password', dialog);
  await click('button', 'Advanced', dialog);
  await click('radio', 'Read + write', dialog);
  await fill(/^Expires after/, '2099-12-31', dialog);
  await click('button', 'Create key', dialog);
  await dialog.findByRole('alert');
  expect(keys).toEqual([]);
  await fill(/^Your password/, PASSWORD, dialog);
  await click('button', 'Create key', dialog);
  await click('button', 'I have copied it', dialog);
  expect(made).toMatchObject([{ preset: 'read-write', expiresAt: '2099-12-31T23:59:59.999Z' }]);
});

it('is bound to a workspace; who mistypes the password is not sent to an administrator', async () => {
  const { made } = keepKeys();
  const dialog = await openForm();
  await fill(/^Name/, 'Nightly export', dialog);
  await fill(/^Your password/, 'wrong password', dialog);
  await click('button', 'Advanced', dialog);
  await choose('Workspace', WORKSPACE.name, dialog);
  await click('button', 'Create key', dialog);
  const refused = await dialog.findByRole('alert');
  await within(refused).findByText(/Check whether Caps Lock is on/);
  expect(refused.textContent).not.toContain('administrator');
  await fill(/^Your password/, PASSWORD, dialog);
  await click('button', 'Create key', dialog);
  await screen.findByRole('dialog', { name: 'API key created' });
  expect(made).toMatchObject([{ name: 'Nightly export', workspaceId: WORKSPACE.workspaceId }]);
});

describe('the credential of a key', () => {
  const first = { workspaceId: '0198a000-0000-7000-8000-0000000000ff', name: 'First', role: 'owner' } as const;
  const inTwo = (role: Role): void =>
    answer('GET /api/auth/me', () => ({ user: ADA, workspaces: [first, { ...WORKSPACE, role }] }));
  const save = 'Also save as a credential for workflow nodes';

  it('is saved in the workspace of the page, or in the one that the key is bound to', async () => {
    inTwo('editor');
    const { made } = keepKeys();
    let dialog = await openForm();
    for (const name of ['Here', 'There']) {
      await fill(/^Name/, name, dialog);
      await fill(/^Your password/, PASSWORD, dialog);
      await dialog.findByText('In the workspace Home');
      if (name === 'There') {
        await click('button', 'Advanced', dialog);
        await choose('Workspace', first.name, dialog);
        await dialog.findByText('In the workspace First');
      }
      await click('button', 'Create key', dialog);
      await click('button', 'I have copied it', dialog);
      if (name === 'Here') dialog = await openForm();
    }
    expect(made).toMatchObject([
      { credentialWorkspaceId: WORKSPACE.workspaceId },
      { workspaceId: first.workspaceId, credentialWorkspaceId: first.workspaceId },
    ]);
  });

  it('is not offered to who may not change the workspace', async () => {
    inTwo('viewer');
    const { made } = keepKeys();
    const dialog = await openForm();
    const box = await dialog.findByRole('checkbox', { name: save });
    expect([box.matches(':checked'), box.matches(':disabled')]).toEqual([false, true]);
    await fill(/^Name/, 'Reports', dialog);
    await fill(/^Your password/, PASSWORD, dialog);
    await click('button', 'Create key', dialog);
    await click('button', 'I have copied it', dialog);
    expect(made).toEqual([{ name: 'Reports', password: PASSWORD, saveAsCredential: false }]);
  });
});
