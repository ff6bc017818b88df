import { expect, it } from '@jest/globals';
import { screen, within } from '@testing-library/react';
import { openConsole, prepareConsole } from '../../testing/console.tsx';
import { example } from '../../testing/contract.ts';
import { keep } from '../../testing/fake-api.ts';
import { clickFirst, click, fill } from '../../testing/hands.ts';

prepareConsole();

it('keeps variables', async () => {
  const variables = keep('/api/variables', [], (body) => ({ ...example('POST /api/variables'), ...body }));
  await openConsole('/variables');
  await clickFirst('button', 'New variable');
  const dialog = within(await screen.findByRole('dialog'));
  await fill(/^Name/, 'region', dialog);
  await fill('Value', 'north', dialog);
  await click('button', 'Save', dialog);
  const table = within(await screen.findByRole('table', { name: 'Variables' }));
  await table.findByText('$vars.region');
  expect(variables).toMatchObject([{ name: 'region', value: 'north' }]);
});
