import { expect, it } from '@jest/globals';
import { screen, within } from '@testing-library/react';
import { openConsole, prepareConsole } from '../../testing/console.tsx';
import { example } from '../../testing/contract.ts';
import { answer, keep, pageOf } from '../../testing/fake-api.ts';
import { click, clickFirst, dialog, fill, isGone } from '../../testing/hands.ts';

prepareConsole();

it('keeps variables', async () => {
  const variables = keep('/api/variables', [], (body) => ({ ...example('POST /api/variables'), ...body }));
  await openConsole('/variables');
  await clickFirst('button', 'New variable');
  const form = await dialog();
  await fill(/^Name/, 'region', form);
  await fill('Value', 'north', form);
  await click('button', 'Save', form);
  const table = within(await screen.findByRole('table', { name: 'Variables' }));
  await table.findByText('$vars.region');
  expect(variables).toMatchObject([{ name: 'region', value: 'north' }]);
});

it('lists the workflows that read a variable', async () => {
  const variable = { ...example('POST /api/variables'), name: 'region' };
  answer('GET /api/variables', () => pageOf([variable]));
  const workflowId = variable.id;
  const uses = [{ workflowId, name: 'Orders' }];
  answer('GET /api/variables/:id/workflows', ({ params }) => {
    expect(params.id).toBe(variable.id);
    return { data: uses };
  });
  await openConsole('/variables');
  await click('button', 'Where region is used');
  const shown = await dialog('Where region is used');
  const link = await shown.findByRole('link', { name: 'Orders' });
  expect(link.getAttribute('href')).toMatch(new RegExp(`/workflows/${workflowId}$`));
  await click('button', 'Close', shown);
  await isGone('dialog');
  uses.pop();
  await click('button', 'Where region is used');
  await screen.findByText(/^No workflow names it/);
});
