import type { FailureGroup } from '@deckhand/contracts';
import { expect, it } from '@jest/globals';
import { screen, within } from '@testing-library/react';
import { keepBulkActions } from '../../testing/fake-bulk-actions.ts';
import { openConsole, prepareConsole, WORKSPACE } from '../../testing/console.tsx';
import { example } from '../../testing/contract.ts';
import { keep } from '../../testing/fake-api.ts';
import { keepRuns } from '../../testing/fake-runs.ts';
import { definitionOf, keepWorkflows } from '../../testing/fake-workflows.ts';
import { click, dialog } from '../../testing/hands.ts';

prepareConsole();

it('a failure group is resolved, opens by itself, is ignored and opened, and its runs are rerun', async () => {
  const workflows = keepWorkflows();
  const definition = definitionOf({ id: 'refuse', type: 'fail', parameters: { message: 'No order' } });
  const { workflow } = workflows.get(workflows.add({ name: 'Orders', definition }));
  const runs = keepRuns();
  for (const number of [17, 18, 19]) {
    const error = { message: `No order ${number}`, nodeId: 'refuse', code: 'FAILED_BY_WORKFLOW' };
    runs.add(workflow, { status: 'failed', error });
  }
  const given = example('GET /api/failure-groups/:id');
  const [group, ...others] = given.workflows;
  const version = { ...group!.versions[0]!, number: 1 };
  const groups: FailureGroup[] = keep('/api/failure-groups', [
    {
      ...given,
      workspaceId: WORKSPACE.workspaceId,
      nodeType: 'fail',
      code: 'FAILED_BY_WORKFLOW',
      message: 'No order <number>',
      count: 3,
      workflows: [{ ...group!, workflowName: 'Orders', versions: [version] }, ...others],
    },
  ]);
  const actions = keepBulkActions(4);
  await openConsole('/failures');
  const row = await screen.findByRole('row', { name: /No order <number>/ });
  for (const text of ['fail · FAILED_BY_WORKFLOW', 'Orders', '3', 'Open']) within(row).getByText(text);
  await click('link', 'No order <number>');
  await within(await screen.findByRole('table', { name: 'Affected versions' })).findByText('Version 1');
  await within(await screen.findByRole('table', { name: 'Latest runs' })).findByText('No order 17');

  await click('button', 'Resolve');
  await screen.findByText('Resolved');
  // Another run failed: the group is open again, and the page reads that by itself.
  groups[0] = { ...groups[0]!, state: 'open', count: 4 };
  await screen.findByText('4 failures');
  await click('button', 'Ignore');
  await screen.findByText('Ignored');
  await click('button', 'Reopen');
  await screen.findByRole('button', { name: 'Ignore' });
  expect(groups[0].state).toBe('open');

  await click('link', 'Show all runs');
  await screen.findByText(/Only runs of/);
  expect(location.search).toContain(`failureGroup=${given.id}`);
  await click('link', 'one failure group');
  await click('button', 'Re-run all');
  const form = await dialog();
  await form.findByText('4 runs match');
  await click('button', 'Re-run 4 runs', form);
  const action = within(await screen.findByRole('row', { name: /Re-run 4 runs/ }));
  await action.findByText('Finished');
  await action.findByText('4 of 4');
  expect(actions.asked).toMatchObject([{ action: 'rerun', version: 'active', filter: { failureGroup: given.id } }]);
});
