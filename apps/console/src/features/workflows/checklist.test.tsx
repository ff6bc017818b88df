import { expect, it } from '@jest/globals';
import { screen, waitFor, within } from '@testing-library/react';
import { openConsole, prepareConsole, reload, WORKSPACE } from '../../testing/console.tsx';
import { example } from '../../testing/contract.ts';
import { answer } from '../../testing/fake-api.ts';
import { keepRuns } from '../../testing/fake-runs.ts';
import { definitionOf, keepWorkflows } from '../../testing/fake-workflows.ts';
import { click, isGone } from '../../testing/hands.ts';

prepareConsole();

it('the first steps in a workspace are ticked off, until all are done or they are hidden', async () => {
  const workflows = keepWorkflows();
  const runs = keepRuns();
  let errorWorkflowId: string | null = null;
  answer('GET /api/workspaces/:id', () => ({ ...example('GET /api/workspaces/:id'), ...WORKSPACE, errorWorkflowId }));
  answer('GET /api/workspaces/:id/usage', () => example('GET /api/workspaces/:id/usage'));
  const steps = async () => within(await screen.findByRole('region', { name: 'First steps' }));
  const done = async () => (await steps()).queryAllByRole('img', { name: 'Done' }).length;
  await openConsole('/workflows');
  expect([await done(), (await steps()).getAllByRole('link').length]).toEqual([0, 1]);

  const id = workflows.add({ name: 'First', definition: definitionOf() });
  runs.add(workflows.get(id).workflow);
  workflows.change(id, { status: 'active', activeVersionId: workflows.get(id).workflow.latestVersionId });
  await openConsole('/workflows');
  await waitFor(async () => expect(await done()).toBe(3));
  await click('link', /^Set up alerts/, await steps());
  await waitFor(() => expect(location.pathname).toBe(`/w/${WORKSPACE.workspaceId}/settings`));

  errorWorkflowId = id;
  await openConsole('/workflows');
  await screen.findByRole('link', { name: 'First' });
  await isGone('region', 'First steps');

  errorWorkflowId = null;
  await openConsole('/workflows');
  await click('button', 'Hide', await steps());
  await isGone('region', 'First steps');
  reload();
  await screen.findByRole('link', { name: 'First' });
  expect(screen.queryByRole('region', { name: 'First steps' })).toBeNull();
});
