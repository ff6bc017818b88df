import type { Workflow } from '@deckhand/contracts';
import { describe, expect, it } from '@jest/globals';
import { screen, waitFor, within } from '@testing-library/react';
import { openConsole, prepareConsole, reload } from '../../testing/console.tsx';
import { answer } from '../../testing/fake-api.ts';
import { type FakeRuns, keepRuns } from '../../testing/fake-runs.ts';
import { keepWorkflows } from '../../testing/fake-workflows.ts';
import { choose, click, dialog, fill, isGone, user } from '../../testing/hands.ts';
import { ORDERS } from '../../testing/orders.ts';

prepareConsole();

/** Keeps two workflows; one has a run that failed. */
function keepOrders(): { orders: Workflow; runs: FakeRuns } {
  const workflows = keepWorkflows();
  const [orders, failing] = ['Orders', 'Failing'].map(
    (name) => workflows.get(workflows.add({ name, definition: ORDERS })).workflow,
  );
  const runs = keepRuns();
  const error = { message: 'no ship today', nodeId: 'refuse', code: 'FAILED_BY_WORKFLOW' };
  runs.add(failing!, { status: 'failed', error });
  return { orders: orders!, runs };
}

/** Waits for the rows of these runs, and of no others. */
const shows = (...ids: readonly string[]): Promise<void> =>
  waitFor(() => {
    const table = within(screen.getByRole('table', { name: 'Runs' }));
    const found = table.queryAllByRole('link').map((link) => link.getAttribute('href')?.split('/').at(-1));
    expect(found).toEqual(ids);
  });

const query = (): URLSearchParams => new URLSearchParams(location.search);

describe('the list of runs', () => {
  it('shows what begins and changes by itself, and narrows by every filter', async () => {
    const { orders, runs } = keepOrders();
    const failed = runs.all[0]!.id;
    await openConsole('/runs');
    await shows(failed);
    const id = runs.add(orders, { status: 'running', trigger: { count: 1, customer: 'Zebra Ltd' } });
    await shows(id, failed);
    runs.change(id, { status: 'success' });
    const row = await screen.findByRole('row', { name: /Orders/ });
    await within(row).findByText('Success');
    await fill('Search', 'zebra');
    await shows(id);
    expect(query().get('search')).toBe('zebra');
    await click('button', 'Clear');
    await fill('Error contains', 'SHIP TODAY');
    await shows(failed);
    await choose('Status', 'Success');
    await screen.findByText('No matching runs');
    await click('option', 'Failed');
    await shows(failed);
    await choose('Trigger', 'Webhook');
    await screen.findByText('No matching runs');
    await click('option', 'Editor');
    await user.keyboard('{Escape}');
    await click('button', 'More filters');
    await fill('Longer than (seconds)', '3600');
    await waitFor(() => expect(query().get('within')).toBe('7d'));
    await screen.findByText('No matching runs');
    await fill('Longer than (seconds)', '0');
    await shows(failed);
    // The URL has all filters.
    reload();
    await shows(failed);
    expect(screen.getByLabelText<HTMLInputElement>('Longer than (seconds)').value).toBe('0');
    expect(query().get('status')).toBe('success,failed');
    await fill('Tags', 'none');
    await user.keyboard('{Enter}');
    await screen.findByText('No matching runs');
  });

  it('counts its runs by start and status: a status and a bar narrow the list', async () => {
    const { orders, runs } = keepOrders();
    const failed = runs.all[0]!.id;
    const done = [runs.add(orders), runs.add(orders)];
    await openConsole('/runs');
    await shows(...done.toReversed(), failed);
    const success = await screen.findByRole('button', { name: 'Success 2' });
    expect(success.getAttribute('aria-pressed')).toBe('false');
    await click('button', 'Failed 1');
    await shows(failed);
    expect(query().get('status')).toBe('failed');
    // The counts of the others stay, so that they can be chosen too.
    await click('button', 'Success 2');
    expect(query().get('status')).toBe('success,failed');
    await click('button', /: 3 runs, 1 failed$/);
    expect([query().get('from'), query().get('to')]).toEqual(['2026-01-05T09:00:00.000Z', '2026-01-05T09:04:59.999Z']);
    await fill('Search', 'zebra');
    await waitFor(() => expect(screen.queryByRole('button', { name: 'Failed 1' })).toBeNull());
  });

  it('has a chip for each filter, which removes it, and keeps filters as views', async () => {
    const { orders, runs } = keepOrders();
    const failed = runs.all[0]!.id;
    const done = runs.add(orders);
    await openConsole(`/runs?workflowId=${orders.id}&status=success,failed&minDurationMs=0&within=yesterday`);
    await shows(done);
    const chips = async (): Promise<string[]> =>
      within(await screen.findByRole('list', { name: 'Active filters' }))
        .getAllByRole('button')
        .map(({ textContent }) => textContent.trim());
    await waitFor(async () =>
      expect(await chips()).toEqual([
        ...['Workflow: Orders', 'Status: Success, Failed', 'Time: Yesterday', 'Longer than: 0 ms'],
      ]),
    );
    await click('button', 'Views');
    await click('menuitem', 'Save this view…');
    const form = await dialog();
    await fill(/^Name/, 'Slow ones', form);
    await click('button', 'Save', form);
    await click('button', 'Workflow: Orders Remove');
    await shows(done, failed);
    await click('button', 'Clear');
    await isGone('list', 'Active filters');
    await click('button', 'Views');
    await click('menuitem', 'Slow ones');
    await shows(done);
    expect([query().get('within'), query().get('workflowId')]).toEqual(['yesterday', orders.id]);
    await click('button', 'Views');
    // The arrow keys lead to it.
    (await screen.findByRole('menuitem', { name: 'Slow ones' })).focus();
    await user.keyboard('{ArrowDown}');
    expect(document.activeElement).toBe(screen.getByRole('menuitem', { name: 'Delete the view Slow ones' }));
    await user.keyboard('{Enter}');
    await isGone('menu');
    await click('button', 'Views');
    await screen.findByRole('menuitem', { name: 'Save this view…' });
    expect(screen.queryByRole('menuitem', { name: 'Slow ones' })).toBeNull();
  });

  it('stays as it is while runs are selected, and shows new ones on request', async () => {
    const { orders, runs } = keepOrders();
    const first = runs.add(orders);
    await openConsole(`/runs?workflowId=${orders.id}`);
    await shows(first);
    const select = () => screen.getAllByRole('checkbox', { name: /^Select the run/ })[0]!;
    await user.click(select());
    const id = runs.add(orders);
    await screen.findByRole('button', { name: '1 new run' });
    await shows(first);
    await click('button', '1 new run');
    await shows(id, first);
    await screen.findByText('1 selected');
    await click('switch', 'Live');
    await user.click(screen.getByRole('checkbox', { name: /^Select the run/, checked: true }));
    const next = runs.add(orders);
    await click('button', 'Refresh');
    await shows(next, id, first);
  });

  it('selects one run, all from one to another, and all', async () => {
    const { orders, runs } = keepOrders();
    for (let count = 0; count < 4; count += 1) runs.add(orders);
    await openConsole(`/runs?workflowId=${orders.id}`);
    let boxes = await screen.findAllByRole<HTMLInputElement>('checkbox', { name: /^Select the run/ });
    const chosen = (): number[] => boxes.flatMap(({ checked }, index) => (checked ? [index] : []));
    await user.click(boxes[2]!);
    await user.keyboard('{Shift>}');
    await user.click(boxes[0]!);
    await user.keyboard('{/Shift}');
    expect(chosen()).toEqual([0, 1, 2]);
    const all = screen.getByRole<HTMLInputElement>('checkbox', { name: 'Select all loaded runs' });
    expect([all.checked, all.indeterminate]).toEqual([false, true]);
    await user.keyboard('{Shift>}');
    await user.click(boxes[1]!);
    await user.keyboard('{/Shift}');
    expect(chosen()).toEqual([2]);
    await user.click(all);
    expect(chosen()).toEqual([0, 1, 2, 3]);
    await screen.findByText('4 selected');
    await user.click(all);
    expect(chosen()).toEqual([]);
    boxes[3]!.focus();
    await user.keyboard(' ');
    expect(chosen()).toEqual([3]);
    await fill('Search', 'nothing has this');
    await screen.findByText('No matching runs');
    await click('button', 'Clear');
    await screen.findAllByRole('checkbox', { name: /^Select the run/ });
    expect(screen.queryByRole('checkbox', { checked: true })).toBeNull();
    expect(screen.queryByRole('region', { name: 'Selected runs' })).toBeNull();
    boxes = await screen.findAllByRole('checkbox', { name: /^Select the run/ });
    await user.click(boxes[3]!);
    await click('button', 'Clear selection');
    expect(chosen()).toEqual([]);
    expect(screen.queryByRole('region', { name: 'Selected runs' })).toBeNull();
  });

  it('leads to the comparison of two runs, which shows what differs', async () => {
    const { orders, runs } = keepOrders();
    const [less, more] = [2, 3].map((count) =>
      runs.add(orders, {
        trigger: { count },
        nodes: { start: { output: { count } }, price: { output: { total: count * 3 } }, large: { output: count * 3 } },
      }),
    );
    await openConsole(`/runs?workflowId=${orders.id}`);
    await shows(more!, less!);
    for (const box of screen.getAllByRole('checkbox', { name: /^Select the run/ })) await user.click(box);
    await click('link', 'Compare');
    await screen.findByText(/3 nodes differ/);
    expect([query().get('left'), query().get('right')]).toEqual([less, more]);
    const nodes = within(screen.getByRole('table', { name: 'Nodes' }));
    within(nodes.getByRole('row', { name: /^Add the price/ })).getByText('Changed');
    await click('button', 'Add the price', nodes);
    const output = within(await screen.findByRole('region', { name: 'Output' }));
    await within(output.getByRole('group', { name: 'First run' })).findByText('6');
    await within(output.getByRole('group', { name: 'Second run' })).findByText('9');
    await click('link', 'First run', within(screen.getByRole('region', { name: 'First run' })));
    await click('button', 'Compare with…');
    const others = within(await screen.findByRole('list', { name: 'Other runs' }));
    await user.click(others.getAllByRole('link').find((link) => link.getAttribute('href')?.includes(`right=${more}`))!);
    await screen.findByText(/3 nodes differ/);
  });

  it('is saved as a file', async () => {
    const { orders } = keepOrders();
    answer('GET /api/executions/export', ({ query: asked }) => {
      expect([asked.get('format'), asked.get('workflowId')]).toEqual(['csv', orders.id]);
      return new Response('id,status\n', { headers: { 'content-type': 'text/csv' } });
    });
    const saved: string[] = [];
    const keepFile = (event: Event): void => {
      if (!(event.target instanceof HTMLAnchorElement) || event.target.download === '') return;
      saved.push(event.target.download);
      event.preventDefault();
    };
    // The link is in no document.
    const { click: follow } = HTMLAnchorElement.prototype;
    HTMLAnchorElement.prototype.click = function click() {
      this.addEventListener('click', keepFile, { once: true });
      follow.call(this);
    };
    await openConsole(`/runs?workflowId=${orders.id}`);
    await click('button', 'Export');
    await click('menuitem', 'As CSV');
    await waitFor(() => expect(saved).toEqual(['runs.csv']));
    HTMLAnchorElement.prototype.click = follow;
  });
});
