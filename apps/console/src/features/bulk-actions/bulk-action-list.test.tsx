import { describe, expect, it } from '@jest/globals';
import { screen, waitFor, within } from '@testing-library/react';
import { openConsole, prepareConsole } from '../../testing/console.tsx';
import { example } from '../../testing/contract.ts';
import { keepBulkActions } from '../../testing/fake-bulk-actions.ts';
import { keepRuns } from '../../testing/fake-runs.ts';
import { definitionOf, keepWorkflows } from '../../testing/fake-workflows.ts';
import { choose, click, clickFirst, dialog, fill, user } from '../../testing/hands.ts';

prepareConsole();

/** Keeps a workflow and some of its runs. @returns the ids of both. */
function keepOrders(count: number, status: 'failed' | 'waiting_for_input') {
  const workflows = keepWorkflows();
  const { workflow } = workflows.get(workflows.add({ name: 'Orders', definition: definitionOf() }));
  const runs = keepRuns();
  return { workflow, workflows, runs: Array.from({ length: count }, () => runs.add(workflow, { status })).reverse() };
}

describe('a bulk action', () => {
  it('acts on the selected runs of the list', async () => {
    const { runs } = keepOrders(3, 'failed');
    const actions = keepBulkActions(0);
    await openConsole('/runs');
    const selects = await screen.findAllByRole('checkbox', { name: /^Select the run of Orders/ });
    await user.click(selects[0]!);
    await user.click(selects[1]!);
    await click('button', 'Delete…');
    await click('button', 'Delete 2 runs', await dialog());
    await within(await screen.findByRole('row', { name: /Delete 2 runs/ })).findByText('2 of 2');
    expect(actions.asked).toMatchObject([{ action: 'delete', executionIds: runs.slice(0, 2) }]);
  });

  it('acts on all runs that match the filter, and is aborted', async () => {
    const { workflow } = keepOrders(4, 'waiting_for_input');
    const actions = keepBulkActions(4, 'running');
    await openConsole(`/runs?status=waiting_for_input&workflowId=${workflow.id}`);
    await click('button', 'All matching runs');
    await click('menuitem', 'Stop…');
    const form = await dialog();
    await form.findByText('4 runs match');
    await fill(/^Runs per second/, '1', form);
    await click('button', 'Stop 4 runs', form);
    await click('button', 'Abort Stop 4 runs');
    await click('button', 'Abort', await dialog());
    await within(await screen.findByRole('row', { name: /Stop 4 runs/ })).findByText('Aborted');
    const filter = { status: ['waiting_for_input'], workflowId: workflow.id };
    expect(actions.asked).toMatchObject([{ action: 'stop', filter, ratePerSecond: 1 }]);
  });

  it('reruns with the live version, unless another one is chosen', async () => {
    keepOrders(2, 'failed');
    const actions = keepBulkActions(2);
    await openConsole('/runs');
    const open = async () => {
      await click('button', 'All matching runs');
      await click('menuitem', 'Re-run…');
      const form = await dialog();
      await form.findByText('2 runs match');
      return form;
    };
    await click('button', 'Re-run 2 runs', await open());
    await click('link', 'Re-run 2 runs');
    await screen.findByText(/^Live version/);
    await openConsole('/runs');
    const form = await open();
    await choose('Version', 'Original version', form);
    await click('button', 'Re-run 2 runs', form);
    await clickFirst('link', 'Re-run 2 runs');
    await screen.findByText(/^Original version/);
    expect(actions.asked.map(({ version }) => version)).toEqual(['active', 'original']);
  });

  it('shows the versions of the workflow whose runs are rerun, the latest only if it is not live', async () => {
    const { workflow, workflows } = keepOrders(1, 'failed');
    keepBulkActions(1);
    const live = workflows.saveVersion(workflow.id, definitionOf());
    workflows.change(workflow.id, { status: 'active', activeVersionId: live });
    const options = async (): Promise<(string | null)[]> => {
      await openConsole(`/runs?workflowId=${workflow.id}`);
      await click('button', 'All matching runs');
      await click('menuitem', 'Re-run…');
      await screen.findByDisplayValue('Live version (2)');
      await click('combobox', 'Version', await dialog());
      return (await screen.findAllByRole('option')).map(({ textContent }) => textContent);
    };
    expect(await options()).toEqual(['Live version (2)', 'Original version']);
    workflows.saveVersion(workflow.id, definitionOf());
    expect(await options()).toEqual(['Live version (2)', 'Original version', 'Latest version (3)']);
  });

  it('has a page with its progress, and the runs that it did not act on', async () => {
    const unknown = '01a1fb35-e8df-7352-8660-75a19a555603';
    const actions = keepBulkActions(2);
    const message = 'There is no such run';
    const given = example('POST /api/bulk-actions');
    actions.all.push({
      ...given,
      action: 'delete',
      status: 'finished',
      total: 2,
      done: 1,
      skipped: 1,
      errors: [{ executionId: unknown, code: 'NOT_FOUND', message }],
    });
    await openConsole('/bulk-actions');
    await click('link', 'Delete 2 runs');
    await waitFor(() => expect(location.pathname).toMatch(new RegExp(`/bulk-actions/${given.id}$`)));
    const skipped = within(await screen.findByRole('table', { name: 'Failed and skipped runs' }));
    await within(skipped.getByRole('row', { name: new RegExp(unknown) })).findByText('NOT_FOUND');
    await screen.findByText('Finished');
    await screen.findByText('2 of 2');
    await screen.findByText('1 done · 1 skipped');
  });
});
