import type { Definition, JsonValue } from '@deckhand/contracts';
import { describe, expect, it } from '@jest/globals';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { openConsole, prepareConsole } from '../../testing/console.tsx';
import { example } from '../../testing/contract.ts';
import { codeOf, nodeForm, nodeOf, selectNode, writeCode } from '../../testing/editor.ts';
import { answer, pageOf, refusal } from '../../testing/fake-api.ts';
import { type FakeRun, type FakeRuns, keepRuns } from '../../testing/fake-runs.ts';
import { type FakeWorkflows, keepWorkflows } from '../../testing/fake-workflows.ts';
import { choose, click, dialog, fill, isGone, sees, user } from '../../testing/hands.ts';

prepareConsole();

const LETTERS: Definition = {
  nodes: [
    { id: 'start', type: 'trigger.manual', name: 'Start' },
    { id: 'the-order', type: 'set', name: 'Order', parameters: { fields: { customer: '{{ $trigger.customer }}' } } },
    { id: 'letter', type: 'set', name: 'Letter', parameters: { fields: { text: 'Dear ' } } },
    { id: 'script', type: 'code', name: 'Script', parameters: { source: 'console.log("written"); return 1;' } },
  ],
  edges: [
    { source: 'start', target: 'the-order' },
    { source: 'the-order', target: 'letter' },
    { source: 'letter', target: 'script' },
  ],
};
const INPUT = { customer: { name: 'Ada', 'first name': 'Augusta' } };

/** A run of the letters. */
const WRITTEN: FakeRun = {
  trigger: INPUT,
  nodes: {
    start: { output: INPUT },
    'the-order': { output: INPUT },
    letter: { output: { text: 'Dear ' } },
    script: { output: 'Dear ' },
  },
};

const LOOP: Definition = {
  nodes: [
    { id: 'start', type: 'trigger.manual', name: 'Start' },
    { id: 'each', type: 'loop', name: 'Each', parameters: { items: '{{ $trigger.items }}' } },
    { id: 'double', type: 'set', name: 'Double', parameters: { fields: { twice: '{{ $loop.item * 2 }}' } } },
    { id: 'refuse', type: 'fail', name: 'Refuse', parameters: { message: 'nothing left to do' } },
  ],
  edges: [
    { source: 'start', target: 'each' },
    { source: 'each', sourceHandle: 'body', target: 'double' },
    { source: 'each', sourceHandle: 'done', target: 'refuse' },
  ],
};

interface Opened {
  readonly workflows: FakeWorkflows;
  readonly runs: FakeRuns;
  readonly id: string;
  readonly run: string;
}

/** Keeps a workflow and a run of it. Further runs succeed at once, with the same outputs. */
function keep(definition: Definition, run: FakeRun): Opened {
  const workflows = keepWorkflows();
  const id = workflows.add({ name: 'Letters', definition });
  const runs = keepRuns(
    (of) => workflows.get(of).workflow,
    () => ({ ...run, status: 'success' }),
  );
  return { workflows, runs, id, run: runs.add(workflows.get(id).workflow, run) };
}

const openRun = ({ id, run }: Opened): Promise<void> => openConsole(`/workflows/${id}?run=${run}`);

const dock = async () => within(await screen.findByRole('region', { name: 'Run data' }));
const strip = async () => within(await screen.findByRole('status', { name: 'Current run' }));
const tab = async (name: string): Promise<void> => click('tab', name, await dock());
const tree = async (name: string) => within(await (await dock()).findByRole('tree', { name }));
const key = async (name: string): Promise<HTMLElement> => {
  const keys = await (await dock()).findAllByRole('button', { name });
  return keys.find((button) => button.closest('[role=treeitem]') !== null)!;
};
const hasStatus = (name: string, status: string): Promise<void> =>
  waitFor(async () => {
    within(await nodeOf(name)).getByRole('img', { name: status, hidden: true });
  });

describe('the data of a node below the canvas', () => {
  it('is that of the last run, with its logs, and its keys are inserted at the cursor', async () => {
    const opened = keep(LETTERS, { ...WRITTEN, executionMode: 'debug' });
    answer('GET /api/executions/:id/nodes/:nodeId/debug', ({ params: { nodeId } }) => ({
      ...example('GET /api/executions/:id/nodes/:nodeId/debug'),
      nodeId: nodeId!,
      console: ['written Dear '],
    }));
    await openConsole(`/workflows/${opened.id}`);
    await click('button', 'Run');
    const run = await dialog();
    await fill('Input', JSON.stringify(INPUT), run);
    await choose('Mode', /^Debug/, run);
    await click('button', 'Run', run);
    await (await dock()).findByText('Select a node to see its input, output and logs.');
    await selectNode('Script');
    await (await tree('Output of script')).findByText('"Dear "');
    await tab('Logs');
    await (await tree('Console of script')).findByText(/written Dear/);
    expect(opened.runs.asked).toMatchObject([{ body: { input: INPUT, executionMode: 'debug' } }]);

    const form = await selectNode('Letter');
    await tab('Input');
    const value = await codeOf('Fields: value 1', form);
    value.focus();
    value.dispatch({ selection: { anchor: value.state.doc.length } });
    await (await dock()).findByText('Click a key to insert it into "Fields: value 1"');
    await user.click(await key('first name'));
    await screen.findByText(/^Inserted /);
    expect(value.state.doc.toString()).toBe('Dear {{ $nodes["the-order"].output.customer["first name"] }}');
    await sees('In the last run: "Dear Augusta"', form);

    // Inside of an expression, without braces; and by keyboard.
    await writeCode('Fields: value 1', '{{ $vars.a ?? }}', form);
    value.dispatch({ selection: { anchor: value.state.doc.length - 2 } });
    await user.keyboard('{F6}');
    expect(document.activeElement?.getAttribute('aria-label')).toBe('Run data');
    (await key('name')).focus();
    await user.keyboard('{Enter}{F6}');
    expect(document.activeElement?.className).toContain('cm-content');
    expect(value.state.doc.toString()).toMatch(
      /^\{\{ \$vars\.a \?\? \$nodes\["the-order"\]\.output\.customer\.name ?\}\}$/,
    );

    // The data of nodes further up.
    await user.click(await sees('From Start', await dock()));
    await writeCode('Fields: value 1', '', form);
    await user.click(await key('$trigger'));
    expect(value.state.doc.toString()).toBe('{{ $trigger }}');
  });

  it('is copied as an expression while no field has the focus', async () => {
    await openRun(keep(LETTERS, WRITTEN));
    const form = await selectNode('Order');
    form.getByLabelText('Name').focus();
    await (await dock()).findByText('Click a key to copy its expression');
    await user.click(await key('name'));
    const expression = '{{ $nodes["the-order"].output.customer.name }}';
    await screen.findByText(`Copied ${expression}`);
    expect(await navigator.clipboard.readText()).toBe(expression);
  });

  it('is that of the chosen iteration of a loop, with errors as they were', async () => {
    const error = { message: 'nothing left to do', code: 'FAILED_BY_WORKFLOW' };
    const run: FakeRun = {
      status: 'failed',
      error: { ...error, nodeId: 'refuse' },
      trigger: { items: [1, 20, 300] },
      nodes: {
        start: {},
        each: { output: {} },
        double: { output: { twice: 600 }, iterations: 3, iterationCounts: { success: 3 } },
        refuse: { status: 'failed', error },
      },
    };
    const opened = keep(LOOP, run);
    const outputs: JsonValue[] = [{ twice: 2 }, { twice: 40 }, { twice: 600 }];
    answer('GET /api/executions/:id/nodes/:nodeId/output', ({ params: { nodeId = '' }, query }) => {
      const iteration = query.get('iteration') ?? '2';
      const output = outputs[Number(iteration)];
      return output === undefined ? refusal('NOT_FOUND') : { nodeId, iteration, status: 'success', output };
    });
    answer('GET /api/executions/:id/nodes/:nodeId/iterations', ({ query }) => {
      const [given] = example('GET /api/executions/:id/nodes/:nodeId/iterations').data;
      const all = outputs.map((_, index) => ({ ...given!, iteration: String(index), status: 'success' as const }));
      return pageOf(all.filter(({ iteration }) => iteration === (query.get('iteration') ?? iteration)));
    });
    await openRun(opened);
    await selectNode('Double');
    await (await tree('Output of double')).findByText('600');
    await fill('Iteration', '1', await dock());
    await (await tree('Output of double')).findByText('40');
    await fill('Iteration', '7', await dock());
    await (await dock()).findByText('The node did not run in iteration 7.');
    await fill('Iteration', '1', await dock());
    await tab('Input');
    await (await dock()).findByText('The input of each iteration is kept in debug runs only.');
    await tab('Logs');
    await (await dock()).findByText('Console output is kept in debug runs only.');
    await selectNode('Refuse');
    await (await dock()).findByText(/nothing left to do/);

    answer('GET /api/executions/:id/nodes/:nodeId/debug', ({ params: { nodeId }, query }) => ({
      nodeId: nodeId!,
      iteration: query.get('iteration') ?? '2',
      parameters: {},
      input: [1, 20, 300][Number(query.get('iteration') ?? 2)]!,
    }));
    const debug = opened.runs.add(opened.workflows.get(opened.id).workflow, { ...run, executionMode: 'debug' });
    await openRun({ ...opened, run: debug });
    const form = await selectNode('Double');
    await tab('Input');
    await fill('Iteration', '1', await dock());
    await (await tree('Input of double')).findByText('20');
    await writeCode('Fields: value 1', '', form);
    await user.click(await key('$input'));
    expect((await codeOf('Fields: value 1', form)).state.doc.toString()).toBe('{{ $input }}');
  });
});

describe('a past run', () => {
  it('is opened in the editor, which says that the canvas has another version, and is re-run from a node', async () => {
    const opened = keep(LETTERS, WRITTEN);
    const { workflows, runs, id, run } = opened;
    workflows.saveVersion(id, {
      nodes: [...LETTERS.nodes, { id: 'send', type: 'set', name: 'Send', parameters: { fields: { to: '' } } }],
      edges: [...LETTERS.edges, { source: 'script', target: 'send' }],
    });
    await openConsole(`/runs/${run}?node=letter`);
    await click('link', 'Open in editor');
    await (await strip()).findByText('Ran version 1. The canvas shows version 2.');
    await tree('Output of letter');
    await hasStatus('Letter', 'Success');
    expect(within(await nodeOf('Send')).queryByRole('img', { hidden: true })).toBeNull();

    // The data for a node that is new.
    const form = await selectNode('Send');
    await (await dock()).findByText(/^The run has not reached this node/);
    (await codeOf('Fields: value 1', form)).focus();
    await user.click(await key('$nodes.script.output'));
    await (await strip()).findByText('Ran version 1. The canvas shows version 2 with unsaved changes.');

    await selectNode('Letter');
    await click('button', 'Re-run from here', await dock());
    await (await strip()).findByText('Ran version 3.');
    await hasStatus('Send', 'Success');
    expect(location.search).not.toContain(run);
    expect(runs.asked).toMatchObject([{ path: 'rerun', body: { fromNodeId: 'letter' } }]);
    expect(workflows.get(id).versions).toHaveLength(3);

    await click('button', 'Hide run', await strip());
    await isGone('region', 'Run data');
    expect(location.search).toBe('');
  });

  it('in progress is stopped from the editor, after a question', async () => {
    const opened = keep(LOOP, { status: 'running' });
    await openRun(opened);
    await click('button', 'Stop', await strip());
    await click('button', 'Stop run', await dialog('Stop this run?'));
    await (await strip()).findByText('Stopped');
    expect((await strip()).queryByRole('button', { name: 'Stop' })).toBeNull();
  });

  it('of another workflow is not shown, and changes are compared', async () => {
    const opened = keep(LETTERS, WRITTEN);
    const { workflows, runs, id } = opened;
    const other = workflows.get(workflows.add({ name: 'Other', definition: LOOP })).workflow;
    workflows.saveVersion(id, { ...LETTERS, settings: { timeoutSeconds: 60 } });
    await openRun({ ...opened, run: runs.add(other) });
    await (await strip()).findByText(/This run is one of another workflow/);
    expect(within(await nodeOf('Letter')).queryByRole('img', { hidden: true })).toBeNull();
    await openRun(opened);
    await click('link', 'Compare', await strip());
    const before = await screen.findByRole<HTMLInputElement>('combobox', { name: 'Before' });
    await waitFor(() => expect(before.value).toBe('Version 1'));
    history.back();
    await (await strip()).findByText(/Ran version 1./);
  });
});

describe('a test of a node', () => {
  const output = async (label: string, text: string): Promise<void> =>
    void (await (await tree(label)).findByText(text));
  const button = async (name: string): Promise<void> => click('button', name, await dock());
  const pin = async (name: string) =>
    within(await nodeOf(name)).queryByRole('img', { name: 'Output pinned', hidden: true });

  /** Opens the dialog that edits a pinned output, and writes it. */
  async function editPin(text: string): Promise<void> {
    await button('Edit pinned output');
    await fill(/^Output/, text, await dialog());
    await click('button', 'Pin output', await dialog());
  }

  it('uses a pinned output in place of its node, until it is unpinned', async () => {
    const opened = keep(LETTERS, WRITTEN);
    await openRun(opened);
    await selectNode('Order');
    await button('Pin output');
    await waitFor(async () => expect(await pin('Order')).not.toBeNull());
    await output('Pinned output of the-order', '"Ada"');
    await editPin('{ "name": ');
    await (await dialog()).findByText('Not JSON');
    await fill(/^Output/, '{ "name": "Grace" }', await dialog());
    await click('button', 'Pin output', await dialog());
    await output('Pinned output of the-order', '"Grace"');

    // The pin is kept in this tab, and the dock is there without a run.
    await openConsole(`/workflows/${opened.id}`);
    await waitFor(async () => expect(await pin('Order')).not.toBeNull());
    await click('button', 'Run');
    let run = await dialog();
    expect(run.getByRole<HTMLInputElement>('combobox', { name: 'Mode' }).value).toMatch(/^Test/);
    await sees('These do not run, their outputs are pinned: Order', run);
    await click('button', 'Run', run);
    await hasStatus('Script', 'Success');
    const mocks = { 'the-order': { name: 'Grace' } };
    expect(opened.runs.asked.at(-1)).toMatchObject({ body: { executionMode: 'test', mocks } });

    // A run in the mode normal runs all nodes.
    await click('button', 'Run');
    run = await dialog();
    await choose('Mode', 'Normal', run);
    await sees('Pinned outputs are not used in this mode: Order', run);
    await click('button', 'Run', run);
    await waitFor(() => expect(opened.runs.asked).toHaveLength(2));
    expect(opened.runs.asked.at(-1)?.body).not.toHaveProperty('mocks');

    await selectNode('Order');
    await button('Unpin');
    await waitFor(async () => expect(await pin('Order')).toBeNull());
    await output('Output of the-order', '"Ada"');
  });

  it('has the input of the run on the canvas, or a pinned one', async () => {
    const opened = keep(LETTERS, WRITTEN);
    await openRun(opened);
    await writeCode('Fields: value 1', 'Hello {{ $input.name }}', await selectNode('Letter'));
    await button('Test node');
    await (await strip()).findByText(/^Ran up to Letter/);
    expect(opened.runs.asked.at(-1)).toMatchObject({
      path: 'rerun',
      body: { fromNodeId: 'letter', untilNodeId: 'letter' },
    });
    expect(opened.workflows.get(opened.id).versions).toHaveLength(2);

    await selectNode('Order');
    await button('Pin output');
    await editPin('{ "name": "Grace" }');
    await isGone('dialog');
    expect((await dock()).queryByRole('button', { name: 'Test node' })).toBeNull();
    await selectNode('Letter');
    await user.keyboard('{Control>}{Shift>}{Enter}{/Shift}{/Control}');
    await waitFor(() => expect(opened.runs.asked).toHaveLength(2));
    expect(opened.runs.asked.at(-1)).toMatchObject({ body: { mocks: { 'the-order': { name: 'Grace' } } } });

    // The node that has the focus stays selected.
    fireEvent.focus(await nodeOf('Letter'));
    await user.keyboard('{Control>}{Enter}{/Control}');
    await dialog('Run workflow');
    await user.keyboard('{Escape}');
    await isGone('dialog');
    await (await nodeForm()).findByText('Id letter');
  });
});
