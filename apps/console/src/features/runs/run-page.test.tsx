import type { Callback, Definition, Workflow } from '@deckhand/contracts';
import { describe, expect, it, jest } from '@jest/globals';
import { createTester } from '@deckhand/testing';
import { QueryClient } from '@tanstack/react-query';
import { screen, waitFor, within } from '@testing-library/react';
import { parse } from 'yaml';
import { ADA, EARLIER, LATER, openConsole, prepareConsole } from '../../testing/console.tsx';
import { example } from '../../testing/contract.ts';
import { answer, pageOf, refusal } from '../../testing/fake-api.ts';
import { type FakeRun, type FakeRuns, keepRuns } from '../../testing/fake-runs.ts';
import { type FakeWorkflows, keepWorkflows } from '../../testing/fake-workflows.ts';
import { choose as pick, click, dialog, fill, isGone, sees, user } from '../../testing/hands.ts';
import { ORDERS } from '../../testing/orders.ts';
import { readPastOutput } from './loop-items.ts';

prepareConsole();

/** A run that waits for the decision. */
const WAITING: FakeRun = {
  status: 'waiting_for_input',
  currentNodeId: 'ask',
  trigger: { count: 50 },
  nodes: { start: { output: { count: 50 } }, price: { output: { total: 150 } }, large: {}, ask: { status: 'waiting' } },
};

const REFUSED = { message: 'the manager refused', code: 'FAILED_BY_WORKFLOW' };

/** Keeps a workflow and its runs. */
function keepOrders(): { workflow: Workflow; workflows: FakeWorkflows; runs: FakeRuns } {
  const workflows = keepWorkflows();
  const { workflow } = workflows.get(workflows.add({ name: 'Orders', definition: ORDERS }));
  return { workflow, workflows, runs: keepRuns((id) => workflows.get(id).workflow) };
}

const expectStatus = async (node: string, status: string): Promise<void> => {
  await waitFor(() => {
    const card = screen.getByText(node, { selector: '.react-flow__node *' }).closest<HTMLElement>('.react-flow__node');
    within(card!).getByRole('img', { name: status, hidden: true });
  });
};

describe('a run', () => {
  it('is followed live on its graph, until a person has decided', async () => {
    const { workflow, runs } = keepOrders();
    const id = runs.add(workflow, WAITING);
    await openConsole(`/runs/${id}`);
    await screen.findByText('Waiting for approval');
    const waits = within(await screen.findByRole('list', { name: 'What the run waits for' }));
    await waits.findByRole('button', { name: 'Ask the manager' });
    expect(waits.getByRole('listitem').textContent).toMatch(/Ask the manager: Waits for an approval, .* · Approvals$/);
    await expectStatus('Ask the manager', 'Waiting');
    await expectStatus('Is it large?', 'Success');
    await waitFor(() => expect(document.title).toBe('Orders · Deckhand'));
    const approval = {
      ...{ nodeId: 'ask', iteration: null, decision: 'approved', approved: true, comment: '<b>yes</b>' },
      ...{ by: ADA.id, byUser: { id: ADA.id, name: ADA.name, email: ADA.email }, at: EARLIER },
    };
    const nodes = { ask: { output: {} }, refuse: { status: 'skipped' as const }, ship: {}, end: {} };
    runs.change(id, { status: 'success', nodes, data: { approvals: [approval] } });
    await expectStatus('Answer', 'Success');
    await expectStatus('Refuse', 'Skipped');
    await sees('Approved in Ask the manager by Ada');
    await sees(': <b>yes</b>');
    await isGone('list', 'What the run waits for');
    await click('button', /^Add the price/);
    await within(await screen.findByRole('tree', { name: 'Output of price' })).findByText('150');
    await click('tab', 'Input');
    await within(await screen.findByRole('region', { name: 'From Order arrives' })).findByText('count');
  });

  it('can be paused, resumed and stopped, and run again', async () => {
    const { workflow, runs } = keepOrders();
    const id = runs.add(workflow, WAITING);
    await openConsole(`/runs/${id}`);
    await click('button', 'Pause');
    await screen.findByText('Paused');
    await click('button', 'Resume');
    await isGone('button', 'Resume');
    await click('button', 'Stop');
    await click('button', 'Stop run', await dialog());
    await screen.findByText('Stopped');
    await click('button', 'Re-run');
    await screen.findByRole('link', { name: id.slice(0, 8) });
    expect(location.pathname).not.toContain(id);
    expect(runs.asked).toEqual([{ path: 'rerun', body: { version: 'original' } }]);
  });

  it('is run again with the live version, or with the original or latest one', async () => {
    const { workflow, workflows, runs } = keepOrders();
    const id = runs.add(workflow, { ...WAITING, status: 'stopped' });
    const live = workflows.saveVersion(workflow.id, ORDERS);
    workflows.saveVersion(workflow.id, ORDERS);
    workflows.change(workflow.id, { status: 'active', activeVersionId: live });
    const again = async (open: () => Promise<void>): Promise<void> => {
      await openConsole(`/runs/${id}`);
      await open();
      await screen.findByRole('link', { name: id.slice(0, 8) });
    };
    const choose = (name: string) => async (): Promise<void> => {
      await click('button', 'More actions');
      await click('menuitem', name);
    };
    await openConsole(`/runs/${id}?node=ask`);
    const title = 'With version 2 (live)';
    await waitFor(() => expect(screen.getByRole('button', { name: 'Re-run' })).toHaveProperty('title', title));
    await again(() => click('button', 'Re-run'));
    await again(choose('Re-run with version 1 (original)'));
    await again(choose('Re-run with version 3 (latest)'));
    await openConsole(`/runs/${id}?node=ask`);
    await choose('Re-run from "Ask the manager" with version 1 (original)')();
    await screen.findByRole('link', { name: id.slice(0, 8) });
    expect(runs.asked.map(({ body }) => body)).toEqual([
      { version: 'active' },
      { version: 'original' },
      { version: 'latest' },
      { version: 'original', fromNodeId: 'ask' },
    ]);
  });

  it('offers each version once, and the original of a workflow without a live one at first', async () => {
    const { workflow, workflows, runs } = keepOrders();
    const id = runs.add(workflow, { ...WAITING, status: 'stopped' });
    await openConsole(`/runs/${id}`);
    await click('button', 'More actions');
    await screen.findByRole('menuitem', { name: 'Re-run with version 1 (original, latest)' });
    const live = workflows.saveVersion(workflow.id, ORDERS);
    workflows.change(workflow.id, { status: 'active', activeVersionId: live });
    await openConsole(`/runs/${id}`);
    await click('button', 'More actions');
    await screen.findByRole('menuitem', { name: 'Re-run with version 2 (live, latest)' });
    await screen.findByRole('menuitem', { name: 'Re-run with version 1 (original)' });
    expect(screen.getAllByRole('menuitem', { name: /^Re-run with version/ })).toHaveLength(2);
  });

  it('is run again with an edited input, and the version that is chosen', async () => {
    const { workflow, workflows, runs } = keepOrders();
    const trigger = { count: 50, text: 'Dear {{ name }}' };
    const id = runs.add(workflow, { ...WAITING, trigger, status: 'stopped' });
    const live = workflows.saveVersion(workflow.id, ORDERS);
    workflows.change(workflow.id, { status: 'active', activeVersionId: live });
    await openConsole(`/runs/${id}`);
    await click('button', 'More actions');
    await click('menuitem', 'Re-run with edited input…');
    const form = await dialog();
    expect(JSON.parse((await form.findByLabelText<HTMLTextAreaElement>('Input')).value)).toEqual(trigger);
    // Braces in data are not those of an expression.
    expect(form.queryByText('Not a JSON object')).toBeNull();
    expect(form.getByRole<HTMLButtonElement>('button', { name: 'Run' }).disabled).toBe(false);
    await fill('Input', '[1]', form);
    await form.findByText('Not a JSON object');
    expect(form.getByRole<HTMLButtonElement>('button', { name: 'Run' }).disabled).toBe(true);
    await fill('Input', '{"count":51}', form);
    await pick('Version', 'version 1 (original)', form);
    await click('button', 'Run', form);
    await waitFor(() => expect(location.pathname).toBe(`/w/${workflow.workspaceId}/runs/${runs.all[0]?.id ?? ''}`));
    expect(runs.asked).toEqual([
      {
        path: 'execute',
        body: {
          input: { count: 51 },
          triggerNodeId: 'start',
          executionMode: 'normal',
          version: runs.get(id).workflowVersionId,
        },
      },
    ]);
  });

  it('offers operators neither old versions nor the nodes of a run with mocks', async () => {
    const { workflow, workflows, runs } = keepOrders();
    const id = runs.add(workflow, { ...WAITING, status: 'stopped', data: { mockedNodeIds: ['price'] } });
    workflows.saveVersion(workflow.id, ORDERS);
    const offered = async (role: 'author' | 'operator'): Promise<(string | null)[]> => {
      await openConsole(`/runs/${id}?node=ask`, { role });
      await screen.findByRole('heading', { name: 'Ask the manager' });
      await click('button', 'More actions');
      await screen.findByRole('menuitem', { name: 'Re-run with version 2 (latest)' });
      return screen.getAllByRole('menuitem', { name: /^Re-run/ }).map(({ textContent }) => textContent);
    };
    expect(await offered('author')).toEqual([
      'Re-run with version 1 (original)',
      'Re-run with version 2 (latest)',
      'Re-run with edited input…',
      'Re-run from "Ask the manager" with version 1 (original)',
      'Re-run from "Ask the manager" with version 2 (latest)',
    ]);
    expect(await offered('operator')).toEqual(['Re-run with version 2 (latest)', 'Re-run with edited input…']);
  });

  it('is saved as a test of its workflow, which passes', async () => {
    const { workflow, runs } = keepOrders();
    const tester = await createTester();
    const before = {
      start: { output: { count: 50 } },
      price: { output: { total: 150 } },
      large: { output: { total: 150 } },
    };
    for (const approved of [true, false]) {
      const decision = approved ? 'approved' : 'rejected';
      const ask = { output: { decision, approved, comment: null, by: null } };
      const error = { ...REFUSED, nodeId: 'refuse' };
      const id = runs.add(workflow, {
        trigger: { count: 50 },
        ...(approved
          ? {
              result: { body: { done: true } },
              nodes: { ...before, ask, refuse: { status: 'skipped' }, ship: { output: { shipped: true } } },
            }
          : {
              ...{ status: 'failed', error },
              nodes: { ...before, ask, ship: { status: 'skipped' }, refuse: { status: 'failed', error: REFUSED } },
            }),
      });
      await openConsole(`/runs/${id}`);
      await click('button', 'More actions');
      await click('menuitem', 'Save as a test…');
      const text = (await (await dialog()).findByLabelText('Test')).textContent;
      const { tests }: { tests: unknown[] } = parse(`tests:\n${text}`);
      expect(await tester.test(ORDERS, tests)).toMatchObject([{ failures: [] }]);
    }
    await tester.close();
  });

  it('that failed opens at the node which did', async () => {
    const { workflow, runs } = keepOrders();
    const id = runs.add(workflow, WAITING);
    await openConsole(`/runs/${id}`);
    await screen.findByText('Waiting for approval');
    const error = { ...REFUSED, nodeId: 'refuse' };
    runs.change(id, { status: 'failed', error, nodes: { ask: {}, refuse: { status: 'failed', error: REFUSED } } });
    await within(await screen.findByRole('region', { name: 'Node' })).findByText(/the manager refused/);
    await expectStatus('Refuse', 'Failed');
  });

  it('says what to do about its error, and which run started it', async () => {
    const { workflow, runs } = keepOrders();
    const parent = runs.add(workflow);
    const id = runs.add(workflow, {
      ...{ status: 'failed', parentExecutionId: parent, parentNodeId: 'price' },
      error: { code: 'CREDENTIAL_ENDED', message: 'the key was revoked', nodeId: 'price' },
      nodes: { price: { status: 'failed' } },
    });
    await openConsole(`/runs/${id}`);
    const alert = within(await screen.findByRole('alert'));
    alert.getByText(/^Check the credential of the node\./);
    expect(alert.getByRole('link', { name: 'Credentials' }).getAttribute('href')).toMatch(/\/credentials$/);
    await click('link', parent.slice(0, 8));
    await waitFor(() => expect(location.href).toMatch(new RegExp(`/runs/${parent}\\?node=price$`)));
  });

  it('is redacted and deleted', async () => {
    const { workflow, runs } = keepOrders();
    const id = runs.add(workflow, { trigger: { secret: 'of a customer' } });
    await openConsole(`/runs/${id}`);
    await click('button', 'More actions');
    await click('menuitem', 'Redact…');
    await click('button', 'Redact', await dialog());
    await isGone('dialog');
    expect(JSON.stringify(runs.get(id))).not.toContain('of a customer');
    await click('button', 'More actions');
    await click('menuitem', 'Delete…');
    await click('button', 'Delete', await dialog());
    await waitFor(() => expect(location.pathname).toMatch(/\/runs$/));
    expect(runs.all).toEqual([]);
  });

  it('has its callback on its page, which is replayed', async () => {
    const { workflow, runs } = keepOrders();
    const [given] = example('GET /api/executions/:id/callbacks').data;
    const attempts = [{ at: EARLIER, status: 204, durationMs: 12, error: null }];
    let callback: Callback = { ...given!, type: 'run.succeeded', status: 'delivered', attempts, attemptCount: 1 };
    callback = { ...callback, nextAttemptAt: null };
    answer('GET /api/executions/:id/callbacks', () => ({ data: [callback] }));
    let replays = 0;
    answer('POST /api/executions/:id/callbacks/:deliveryId/replay', ({ params: { deliveryId } }) => {
      expect(deliveryId).toBe(callback.id);
      replays += 1;
      callback = { ...callback, attemptCount: 2, attempts: [...attempts, { ...attempts[0]!, at: LATER }] };
      return callback;
    });
    await openConsole(`/runs/${runs.add(workflow)}`);
    await click('tab', 'Callbacks');
    const row = async () => within(await screen.findByRole('row', { name: /run.succeeded/ }));
    (await row()).getByText('Delivered');
    await click('button', 'Replay run.succeeded');
    await (await row()).findByText(/^2 · 204/);
    expect(replays).toBe(1);
  });

  it('keeps its place when a row of the timeline is clicked, and shows the data of a debug run', async () => {
    const { workflow, runs } = keepOrders();
    const id = runs.add(workflow, { ...WAITING, executionMode: 'debug' });
    answer('GET /api/executions/:id/nodes/:nodeId/debug', ({ params: { nodeId } }) => {
      const parameters = { fields: { total: 150 } };
      return { ...example('GET /api/executions/:id/nodes/:nodeId/debug'), nodeId: nodeId!, parameters };
    });
    await openConsole(`/runs/${id}`);
    await screen.findByText('Waiting for approval');
    const scrolls = jest.spyOn(window, 'scrollTo');
    await click('button', /^Add the price/);
    await click('tab', 'Debug');
    await within(await screen.findByRole('tree', { name: 'Parameters of price' })).findByText('150');
    expect(scrolls).not.toHaveBeenCalled();
  });

  it('has the console output of all nodes of a debug run, in the order of their starts', async () => {
    const { workflow, runs } = keepOrders();
    const at = (second: number): string => new Date(Date.UTC(2026, 0, 5, 9, 0, second)).toISOString();
    const nodes = { large: 3, price: 1, start: 0 };
    const id = runs.add(workflow, {
      ...{ status: 'failed', executionMode: 'debug', createdAt: at(0), startedAt: at(0) },
      nodes: Object.fromEntries(
        Object.entries(nodes).map(([node, second]) => [node, { startedAt: at(second), finishedAt: at(second) }]),
      ),
    });
    answer('GET /api/executions/:id/nodes/:nodeId/debug', ({ params: { nodeId = '' } }) =>
      nodeId === 'start'
        ? refusal('NOT_FOUND')
        : { nodeId, iteration: null, console: [`${nodeId} begins`, `${nodeId} <b>ends</b>`] },
    );
    await openConsole(`/runs/${id}`);
    await click('tab', 'All logs');
    const logs = within(await screen.findByRole('list', { name: 'Logs of the run' }));
    expect(logs.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
      'Add the price +1.00 sprice begins\nprice <b>ends</b>',
      'Is it large? +3.00 slarge begins\nlarge <b>ends</b>',
    ]);
    await click('button', 'Is it large?', logs);
    await within(await screen.findByRole('region', { name: 'Node' })).findByRole('heading', { name: 'Is it large?' });
  });

  it('keeps the console output that is loaded while more comes, and shows an error at its node', async () => {
    const { workflow, runs } = keepOrders();
    const at = (second: number): string => new Date(Date.UTC(2026, 0, 5, 9, 0, second)).toISOString();
    const done = (second: number) => ({ startedAt: at(0), finishedAt: at(second), outputBytes: 1 });
    const times = { createdAt: at(0), startedAt: at(0) };
    const id = runs.add(workflow, {
      ...{ ...times, status: 'running', executionMode: 'debug' },
      nodes: { start: done(1), price: done(1), large: { status: 'running' } },
    });
    const { promise: isRead, resolve: read } = Promise.withResolvers<undefined>();
    let reads = 0;
    answer('GET /api/executions/:id/nodes/:nodeId/debug', async ({ params: { nodeId = '' } }) => {
      if (nodeId === 'start') return refusal('FORBIDDEN');
      reads += 1;
      if (reads > 1) await isRead;
      return { nodeId, iteration: null, console: [`round ${reads}`] };
    });
    await openConsole(`/runs/${id}`);
    await click('tab', 'All logs');
    const logs = within(await screen.findByRole('list', { name: 'Logs of the run' }));
    await logs.findByText('round 1');
    within(logs.getByRole('button', { name: 'Order arrives' }).closest('li')!).getByRole('alert');
    // Its next iteration.
    runs.change(id, { nodes: { price: done(2) } });
    await waitFor(() => expect(reads).toBe(2));
    logs.getByText('round 1');
    read(undefined);
    await logs.findByText('round 2');
  });

  it('marks what a partial rerun has reused, and links to the version that ran', async () => {
    const { workflow, workflows, runs } = keepOrders();
    const original = runs.add(workflow, { ...WAITING, status: 'stopped' });
    const { finishedAt } = runs.get(original).progress.price!;
    const id = runs.add(workflow, {
      ...WAITING,
      source: 'rerun',
      data: { rerunOf: original, rerunFromNodeId: 'ask' },
      nodes: { ...WAITING.nodes, price: { output: { total: 150 }, startedAt: finishedAt, finishedAt } },
    });
    workflows.saveVersion(workflow.id, ORDERS);
    await openConsole(`/runs/${id}`);
    await screen.findByRole('button', { name: /^Add the price.*Reused/ });
    await click('link', 'Show version 1');
    const after = await screen.findByRole<HTMLInputElement>('combobox', { name: 'After' });
    await waitFor(() => expect(after.value).toBe('Version 1'));
  });

  it('shows the title of the form that it waits for, too', async () => {
    const workflows = keepWorkflows();
    const schema = { type: 'object', properties: { day: { type: 'string', format: 'date' } } };
    const form = { id: 'form', type: 'human', name: 'Note it', parameters: { title: 'When?', schema } };
    const definition = { nodes: [ORDERS.nodes[0]!, form], edges: [{ source: 'start', target: 'form' }] };
    const { workflow } = workflows.get(workflows.add({ name: 'Refunds', definition }));
    const runs = keepRuns();
    const id = runs.add(workflow, { status: 'waiting_for_human', nodes: { start: {}, form: { status: 'waiting' } } });
    const [task] = example('GET /api/human-tasks').data;
    answer('GET /api/human-tasks', () => pageOf([{ ...task!, executionId: id, title: 'When is 12 paid?', schema }]));
    await openConsole(`/runs/${id}?node=form`);
    await within(await screen.findByRole('region', { name: 'Node' })).findByText('When is 12 paid?');
    await screen.findByLabelText('Day');
  });

  it('has a segment for each attempt of a node in the timeline, and lists them with their errors', async () => {
    const workflows = keepWorkflows();
    const call = { id: 'call', type: 'http', name: 'Call', parameters: { url: 'https://shop.example' } };
    const definition = { nodes: [ORDERS.nodes[0]!, call], edges: [{ source: 'start', target: 'call' }] };
    const { workflow } = workflows.get(workflows.add({ name: 'Retried', definition }));
    const at = (seconds: number): string => new Date(Date.parse(EARLIER) + seconds * 1_000).toISOString();
    const attemptHistory = [
      { startedAt: at(1), finishedAt: at(2), error: { message: 'The status is 503', code: 'HTTP_STATUS' } },
      { startedAt: at(4), finishedAt: at(5), error: null },
    ];
    const node = { startedAt: at(1), finishedAt: at(5), attempts: 2, attemptHistory, output: {} };
    const times = { createdAt: at(0), startedAt: at(0), finishedAt: at(5) };
    const id = keepRuns().add(workflow, {
      ...times,
      nodes: { start: { startedAt: at(0), finishedAt: at(1) }, call: node },
    });
    await openConsole(`/runs/${id}?node=call`);
    const row = within(await screen.findByRole('button', { name: /^Call.*2 attempts/ }));
    const [failed, good] = [/^Attempt 1: HTTP_STATUS/, /^Attempt 2: Success/].map((title) => {
      const { left, width } = row.getByTitle(title).style;
      return { left: Number.parseFloat(left), width: Number.parseFloat(width) };
    });
    expect(good!.left).toBeGreaterThan(failed!.left + failed!.width);
    await user.click(within(screen.getByRole('region', { name: 'Node' })).getByText(/^Attempts/));
    const attempts = await screen.findAllByRole('listitem');
    const texts = attempts.map(({ textContent }) => textContent).filter((text) => /HTTP_STATUS|Success/.test(text));
    expect(texts.slice(-2)).toEqual([expect.stringContaining('HTTP_STATUS'), expect.stringContaining('Success')]);
  });

  it('has a timeline that is zoomed at the selected node, moved, and shown as a whole again', async () => {
    const { workflow, runs } = keepOrders();
    const time = (second: number): string => new Date(Date.UTC(2026, 0, 5, 9, 0, second)).toISOString();
    const done = (from: number, to: number) => ({ output: {}, startedAt: time(from), finishedAt: time(to) });
    const id = runs.add(workflow, {
      // Nodes of a run that succeeded would all have run.
      ...{ status: 'stopped', createdAt: time(0), startedAt: time(0), finishedAt: time(10) },
      nodes: { start: done(0, 4), price: done(4, 10) },
    });
    await openConsole(`/runs/${id}?node=price`);
    const bar = async (): Promise<CSSStyleDeclaration> => {
      const row = await screen.findByRole('button', { name: /^Add the price.*Success/ });
      return row.querySelector<HTMLElement>('[style*="width"]')!.style;
    };
    const place = async (): Promise<string[]> => [(await bar()).left, (await bar()).width];
    await waitFor(async () => expect(await place()).toEqual(['40%', '60%']));
    const view = within(screen.getByRole('group', { name: 'View of the timeline' }));
    expect(view.getByRole<HTMLButtonElement>('button', { name: 'Zoom out' }).disabled).toBe(true);
    await click('button', 'Zoom in', view);
    expect(await place()).toEqual(['-10%', '120%']);
    await click('button', 'Earlier', view);
    expect(await place()).toEqual(['40%', '120%']);
    await click('button', 'Whole run', view);
    expect(await place()).toEqual(['40%', '60%']);
  });

  it('has the runs that its nodes started in its timeline, which leads to them', async () => {
    const workflows = keepWorkflows();
    const definition: Definition = {
      nodes: [
        { id: 'start', type: 'trigger.manual' },
        { id: 'sub', type: 'workflow', name: 'Ship it' },
      ],
      edges: [{ source: 'start', target: 'sub' }],
    };
    const { workflow } = workflows.get(workflows.add({ name: 'Orders', definition }));
    const { workflow: other } = workflows.get(workflows.add({ name: 'Shipping', definition: ORDERS }));
    const runs = keepRuns();
    const id = runs.add(workflow, { nodes: { start: {}, sub: {} } });
    // The run did not wait for it.
    const child = runs.add(other, { status: 'running', parentExecutionId: id, parentNodeId: 'sub' });
    runs.add(other);
    await openConsole(`/runs/${id}`);
    const timeline = within(await screen.findByRole('list', { name: 'Timeline of nodes' }));
    const running = await timeline.findByRole('link', { name: /^Shipping.*Running/ });
    const { left, width } = running.querySelector<HTMLElement>('[style*="width"]')!.style;
    expect(Number.parseFloat(left) + Number.parseFloat(width)).toBeLessThanOrEqual(100);
    runs.change(child, { status: 'failed' });
    const link = await timeline.findByRole('link', { name: /^Shipping.*Failed/ });
    expect(link.closest('li')!.textContent).toMatch(/^Ship it.*Shipping/);
    await user.click(link);
    await waitFor(() => expect(location.pathname).toMatch(new RegExp(`/runs/${child}$`)));
    await screen.findByRole('link', { name: id.slice(0, 8) });
  });

  it('opens failed iterations of nested loops: their error, output and input, also of nodes around them', async () => {
    const workflows = keepWorkflows();
    const set = (id: string, name: string) => ({ id, type: 'set', name, parameters: { fields: {} } });
    const loop = (id: string, name: string) => ({ id, type: 'loop', name, parameters: { items: '{{ $input }}' } });
    const definition = {
      nodes: [ORDERS.nodes[0]!, loop('days', 'Days'), set('day', 'Head'), loop('lines', 'Lines'), set('read', 'Read')],
      edges: [
        { source: 'start', target: 'days' },
        { source: 'days', sourceHandle: 'body', target: 'day' },
        { source: 'day', target: 'lines' },
        { source: 'lines', sourceHandle: 'body', target: 'read' },
        { source: 'read', target: 'check' },
      ],
    };
    definition.nodes.push(set('check', 'Check'));
    const { workflow } = workflows.get(workflows.add({ name: 'Imports', definition }));
    const times = { startedAt: EARLIER, finishedAt: LATER };
    const inLoop = (success: number, failed = 0) => ({
      ...times,
      iterations: success + failed,
      iterationCounts: { success, ...(failed > 0 && { failed }) },
      outputBytes: 10,
    });
    const check = inLoop(98, 2);
    const runs = keepRuns((of) => workflows.get(of).workflow);
    const id = runs.add(workflow, {
      ...times,
      nodes: { start: {}, days: {}, day: inLoop(10), lines: inLoop(10), read: inLoop(100), check },
    });
    const failures = new Map([
      ['0.3', 'the date is missing'],
      ['7.1', 'the price is negative'],
    ]);
    const [given] = example('GET /api/executions/:id/nodes/:nodeId/iterations').data;
    const entryOf = (iteration: string) => {
      const message = failures.get(iteration);
      const entry = { ...given!, ...times, iteration, attempts: 1 };
      if (message === undefined) return { ...entry, status: 'success' as const, outputBytes: 10, error: null };
      return { ...entry, status: 'failed' as const, outputBytes: 0, error: { code: 'NODE_FAILED', message } };
    };
    answer('GET /api/executions/:id/nodes/:nodeId/iterations', ({ query, params: { nodeId } }) => {
      const iteration = query.get('iteration');
      if (iteration === null) return pageOf([...failures.keys()].map(entryOf));
      return pageOf(iteration === '11.0' ? [] : [entryOf(nodeId === 'check' ? iteration : '0')]);
    });
    answer('GET /api/executions/:id/nodes/:nodeId/output', ({ params: { nodeId = '' }, query }) => {
      const iteration = query.get('iteration');
      if (nodeId === 'check' && failures.has(iteration ?? '')) return refusal('NOT_FOUND');
      return { nodeId, iteration, status: 'success', output: `${nodeId} of ${iteration ?? 'the last'}` };
    });
    await openConsole(`/runs/${id}?node=check`);
    const panel = async () => within(await screen.findByRole('region', { name: 'Node' }));
    await (await panel()).findByText('2 iterations failed');
    await click('button', 'Iteration 7.1', await panel());
    await (await panel()).findByText('the price is negative', { exact: false, selector: 'p' });
    await (await panel()).findByText('No output.');
    await click('tab', 'Input', await panel());
    await sees('read of 7.1', await panel());
    // The nodes around it are shown in the same iteration.
    await click('button', /^Read/);
    await sees('read of 7.1', await panel());
    await click('button', /^Head/);
    await sees('day of 7', await panel());
    expect((await (await panel()).findByLabelText<HTMLInputElement>('Iteration')).value).toBe('7');
    // One that is typed.
    await click('button', /^Check/);
    await fill('Iteration', '0.3', await panel());
    await (await panel()).findByText('the date is missing', { exact: false, selector: 'p' });
    await fill('Iteration', '11.0', await panel());
    await (await panel()).findByText('The node did not run in iteration 11.0.');
    expect(location.search).toContain('11.0');
    // One whose part of the timeline is clicked.
    const row = within(await screen.findByRole('button', { name: /^Check/ }));
    await user.click(await row.findByTitle('Iteration 7.1: Failed'));
    await (await panel()).findByText('the price is negative', { exact: false, selector: 'p' });
    expect(location.search).toContain('7.1');
    // Those that failed are run again, from the node in which they did; also from the loops around it.
    const again = { version: 'original', fromNodeId: 'check', iterations: 'failed' };
    await click('button', 'Re-run failed iterations', await panel());
    await screen.findByRole('link', { name: id.slice(0, 8) });
    await openConsole(`/runs/${id}?node=days`);
    await click('button', 'Re-run failed iterations of Check', await panel());
    await screen.findByRole('link', { name: id.slice(0, 8) });
    await openConsole(`/runs/${id}?node=read`);
    await panel();
    expect(screen.queryByRole('button', { name: /failed iterations/ })).toBeNull();
    expect(runs.asked.map(({ body }) => body)).toEqual([again, again]);
  });

  it('leads to the failed iterations of a node: by its parts of the timeline, its status and its picker', async () => {
    const workflows = keepWorkflows();
    const definition = {
      nodes: [
        ORDERS.nodes[0]!,
        { id: 'each', type: 'loop', name: 'Each', parameters: { items: '{{ $trigger.orders }}' } },
        { id: 'call', type: 'http', name: 'Call', parameters: { url: 'https://shop.example' }, onError: 'continue' },
      ],
      edges: [
        { source: 'start', target: 'each' },
        { source: 'each', sourceHandle: 'body', target: 'call' },
      ],
    } satisfies Definition;
    const { workflow } = workflows.get(workflows.add({ name: 'Called', definition }));
    const times = { startedAt: EARLIER, finishedAt: LATER };
    const error = { code: 'HTTP_STATUS', message: 'The status is 503' };
    // The latest iteration was tried twice: its attempts are not those of the node.
    const attemptHistory = [
      { ...times, error },
      { ...times, error: null },
    ];
    const iterationCounts = { success: 2, failed: 1 };
    const call = { ...times, iterations: 3, iterationCounts, attempts: 2, attemptHistory, outputBytes: 30 };
    const trigger = { orders: [{ id: 'A-1' }, { id: 'A-2' }, { id: 'A-3' }] };
    const id = keepRuns().add(workflow, { ...times, trigger, nodes: { start: {}, each: {}, call } });
    const [given] = example('GET /api/executions/:id/nodes/:nodeId/iterations').data;
    const entries = ['0', '1', '2'].map((iteration) => ({
      ...given!,
      ...times,
      iteration,
      ...(iteration === '1' ? { status: 'failed' as const, error } : { status: 'success' as const, error: null }),
    }));
    answer('GET /api/executions/:id/nodes/:nodeId/iterations', ({ query }) => {
      const [iteration, status] = [query.get('iteration'), query.get('status')];
      return pageOf(
        entries.filter(
          (entry) => entry.iteration === (iteration ?? entry.iteration) && entry.status === (status ?? entry.status),
        ),
      );
    });
    await openConsole(`/runs/${id}?node=each`);
    await expectStatus('Call', 'Failed');
    const row = within(await screen.findByRole('button', { name: /^Call.*Failed/ }));
    await user.click(await row.findByTitle('Iteration 1: Failed'));
    const panel = async () => within(await screen.findByRole('region', { name: 'Node' }));
    await (await panel()).findByText('The status is 503', { exact: false, selector: 'p' });
    expect(location.search).toContain('iteration=');
    // Without a choice, the first that failed is shown, with its status and its item.
    await openConsole(`/runs/${id}?node=call`);
    await (await panel()).findByText('The status is 503', { exact: false, selector: 'p' });
    await (await panel()).findByText('Item: A-2');
    const counts = within((await panel()).getByRole('group', { name: 'Iterations by status' }));
    expect(counts.getByText(/^Failed/).textContent).toBe('Failed · 1');
    // The picker finds iterations by their items, too.
    await user.type((await panel()).getByLabelText('Iteration'), 'a-3');
    const option = await screen.findByRole('option');
    expect(option.textContent).toBe('2SuccessA-3');
    await user.click(option);
    await (await panel()).findByText('Item: A-3');
    expect((await panel()).queryByText('The status is 503', { exact: false, selector: 'p' })).toBeNull();
  });

  it('has outputs that cannot be read, which are not taken for none', async () => {
    const run = example('GET /api/executions/:id');
    const [given] = Object.values(run.progress);
    const progress = { large: { ...given!, outputOmitted: true, outputBytes: 4_194_305 }, skipped: { ...given! } };
    const outputOf = (id: string) => readPastOutput(new QueryClient(), { ...run, progress }, id);
    await expect(outputOf('large')).rejects.toThrow('large');
    expect([await outputOf('skipped'), await outputOf('unknown')]).toEqual([undefined, undefined]);
  });

  it('of a webhook that has responded leads to the response', async () => {
    const workflows = keepWorkflows();
    const respond = { id: 'reply', type: 'respond', name: 'Reply' };
    const definition = {
      nodes: [{ id: 'start', type: 'trigger.webhook' }, respond],
      edges: [{ source: 'start', target: 'reply' }],
    };
    const { workflow } = workflows.get(workflows.add({ name: 'Hooked', definition }));
    const runs = keepRuns();
    const nodes = { start: {}, reply: { output: { outcome: 'responded' } } };
    const id = runs.add(workflow, { source: 'webhook', result: null, nodes });
    await openConsole(`/runs/${id}`);
    await sees('The response to the webhook is in the output of Reply.');
    expect(screen.queryByText(/No End node set a result/)).toBeNull();
    await click('button', 'Reply', within(screen.getByRole('region', { name: 'Run' })));
    await within(await screen.findByRole('tree', { name: 'Output of reply' })).findByText('responded', {
      exact: false,
    });
  });
});
