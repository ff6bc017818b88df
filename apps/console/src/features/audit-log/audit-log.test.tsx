import { expect, it } from '@jest/globals';
import { screen, within } from '@testing-library/react';
import { openConsole, prepareConsole } from '../../testing/console.tsx';
import { example } from '../../testing/contract.ts';
import { answer, pageOf } from '../../testing/fake-api.ts';

prepareConsole();

it('names what was done, with what, and by whom', async () => {
  const [entry] = example('GET /api/audit-log').data;
  answer('GET /api/audit-log', ({ query }) => {
    expect(query.get('workspaceId')).not.toBeNull();
    return pageOf([
      {
        ...entry!,
        id: crypto.randomUUID(),
        action: 'apiKey.create',
        resourceType: 'apiKey',
        resourceName: 'Nightly export',
      },
      {
        ...entry!,
        id: crypto.randomUUID(),
        action: 'workflow.create',
        resourceType: 'workflow',
        resourceName: 'Refunds',
      },
    ]);
  });
  await openConsole('/audit-log');
  const table = within(await screen.findByRole('table', { name: 'Audit log' }));
  await table.findByText('API key created');
  await table.findByText('API key Nightly export');
  await table.findByText('Workflow created');
  await table.findByText('Workflow Refunds');
  expect(table.getAllByText(new RegExp(entry!.userEmail!))).toHaveLength(2);
});
