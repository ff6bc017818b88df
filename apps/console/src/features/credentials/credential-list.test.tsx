import type { CredentialEntry } from '@deckhand/contracts';
import { expect, it } from '@jest/globals';
import { screen, within } from '@testing-library/react';
import { ADA, openConsole, prepareConsole, reload } from '../../testing/console.tsx';
import { example } from '../../testing/contract.ts';
import { answer, keep } from '../../testing/fake-api.ts';
import { choose, click, clickFirst, fill, isGone, user } from '../../testing/hands.ts';

prepareConsole();

/** Keeps credentials as the API does: without their secrets. */
const keepCredentials = (): CredentialEntry[] =>
  keep('/api/credentials', [], ({ secret: _secret, ...body }) => ({
    ...example('POST /api/credentials'),
    ...body,
    ownerId: ADA.id,
  }));

const rowOf = async (name: RegExp) => {
  const table = within(await screen.findByRole('table', { name: 'Credentials' }));
  return within(await table.findByRole('row', { name }));
};

it('keeps credentials, and a secret is not seen again', async () => {
  keepCredentials();
  await openConsole('/credentials');
  await clickFirst('button', 'New credential');
  const dialog = within(await screen.findByRole('dialog'));
  await fill(/^Name/, 'Warehouse', dialog);
  await fill(/^Token/, 'hush-hush', dialog);
  await click('radio', /^Only you/, dialog);
  await fill(/^Allowed hosts/, 'api.example.com', dialog);
  await user.keyboard('{Enter}');
  await click('button', 'Save', dialog);
  const kept = await rowOf(/Warehouse/);
  await kept.findByText('Only you');
  await kept.findByText('api.example.com');
  reload();
  await rowOf(/Warehouse/);
  expect(document.documentElement.outerHTML).not.toContain('hush-hush');
});

it('a credential is created with a rate limit, and later has a circuit breaker instead', async () => {
  const credentials = keepCredentials();
  await openConsole('/credentials');
  await clickFirst('button', 'New credential');
  const creation = within(await screen.findByRole('dialog'));
  await fill(/^Name/, 'Shop', creation);
  await fill(/^Token/, 'hush-hush', creation);
  await click('checkbox', 'Limit the rate of requests', creation);
  await fill(/^Requests/, '1200', creation);
  await choose('Per', 'minute', creation);
  await click('button', 'Save', creation);
  await (await rowOf(/Shop/)).findByText('1,200 per minute');

  await click('button', 'Limits of Shop');
  const limits = within(await screen.findByRole('dialog'));
  expect(limits.getByRole<HTMLInputElement>('textbox', { name: 'Requests' }).value).toBe('1200');
  await click('checkbox', 'Limit the rate of requests', limits);
  await click('checkbox', 'Use a circuit breaker', limits);
  await fill(/^Open seconds/, '30', limits);
  await click('button', 'Save', limits);
  await (await rowOf(/Shop/)).findByText('circuit breaker');
  expect(credentials).toMatchObject([{ rateLimit: null, circuit: { openSeconds: 30 } }]);
});

it('a credential is changed in place: its name, its hosts, and its secret on request', async () => {
  const credentials = keepCredentials();
  await openConsole('/credentials');
  await clickFirst('button', 'New credential');
  const creation = within(await screen.findByRole('dialog'));
  await fill(/^Name/, 'Shop', creation);
  await fill(/^Token/, 'hush-hush', creation);
  await click('button', 'Save', creation);
  await rowOf(/Shop/);
  const asked: unknown[] = [];
  answer('PATCH /api/credentials/:id', ({ body }) => {
    asked.push(body);
    const { secret: _secret, ...changes } = body;
    return Object.assign(credentials[0]!, changes);
  });
  await click('button', 'Edit Shop');
  const edit = within(await screen.findByRole('dialog'));
  expect(edit.queryByLabelText(/^Token/)).toBeNull();
  await fill(/^Name/, 'Warehouse', edit);
  await click('button', 'Save', edit);
  await rowOf(/Warehouse/);
  await isGone('dialog');
  await click('button', 'Edit Warehouse');
  const replacement = within(await screen.findByRole('dialog'));
  await click('checkbox', 'Replace the secret', replacement);
  // What is not replaced is kept.
  await fill(/^Next token/, 'next', replacement);
  await fill(/^Allowed hosts/, 'api.example.com', replacement);
  await user.keyboard('{Enter}');
  await click('button', 'Save', replacement);
  await (await rowOf(/Warehouse/)).findByText('api.example.com');
  expect(asked).toEqual([
    { name: 'Warehouse' },
    { allowedHosts: ['api.example.com'], secret: { token: '********', nextToken: 'next' } },
  ]);
});

it('a private credential is changed by its owner only', async () => {
  const entry = { ...example('POST /api/credentials'), name: 'Shop', visibility: 'private' as const };
  keep('/api/credentials', [{ ...entry, ownerId: '0198a6f0-0000-7000-8000-00000000000f' }]);
  await openConsole('/credentials');
  await screen.findByRole('button', { name: 'Delete Shop' });
  expect(screen.queryByRole('button', { name: 'Edit Shop' })).toBeNull();
});

it('a credential is tested with a service, and the list shows the result', async () => {
  const credentials = keepCredentials();
  await openConsole('/credentials');
  await clickFirst('button', 'New credential');
  const creation = within(await screen.findByRole('dialog'));
  await fill(/^Name/, 'Shop', creation);
  await fill(/^Token/, 'hush-hush', creation);
  await click('button', 'Save', creation);
  await rowOf(/Shop/);
  const connector = example('GET /api/connectors').data[0]!;
  const slack = { ...connector, name: 'slack', version: '1.0.0', title: 'Slack', credentials: [] };
  answer('GET /api/connectors', () => ({ ...example('GET /api/connectors'), data: [slack] }));
  const asked: unknown[] = [];
  answer('POST /api/credentials/:id/test', ({ body }) => {
    asked.push(body);
    const lastTest = { ok: false, code: 'HTTP_STATUS', message: 'invalid_auth', testedAt: new Date().toISOString() };
    Object.assign(credentials[0]!, { lastTest });
    return lastTest;
  });
  await click('button', 'Test Shop');
  const dialog = within(await screen.findByRole('dialog'));
  await choose('Service', 'Slack 1.0.0', dialog);
  await click('button', 'Test', dialog);
  await dialog.findByText('HTTP_STATUS: invalid_auth');
  expect(asked).toEqual([{ connector: 'slack', version: '1.0.0' }]);
  await click('button', 'Cancel', dialog);
  await (await rowOf(/Shop/)).findByText('Failed');
});
