import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Definition, Draft, Workflow } from '@deckhand/contracts';
import type { Browser, Page } from 'playwright-core';
import {
  addNode,
  dragBy,
  fitView,
  issuesOfAccess,
  openAs,
  openWindow,
  startBrowser,
} from '../../../harness/browser.ts';
import { type OwnedStack, shareStack } from '../../../harness/console.ts';
import { stopAll, until } from '../../../harness/index.ts';

const NAMES = ['Start', 'Read', 'Check', 'Ship'];
const CHAIN: Definition = {
  nodes: NAMES.map((name, index) => ({
    id: name.toLowerCase(),
    type: index === 0 ? 'trigger.manual' : 'set',
    name,
    ...(index === 0 ? {} : { parameters: { fields: {} } }),
    position: { x: index * 250, y: index * 70 },
  })),
  edges: NAMES.slice(1).map((name, index) => ({
    source: (NAMES[index] ?? '').toLowerCase(),
    target: name.toLowerCase(),
  })),
};

const ORDER: Definition = {
  nodes: [
    { id: 'start', type: 'trigger.manual' },
    { id: 'order', type: 'set', name: 'Order', parameters: { fields: { customer: '{{ $trigger.customer }}' } } },
    { id: 'letter', type: 'set', name: 'Letter', parameters: { fields: { text: 'Dear customer' } } },
    { id: 'script', type: 'code', name: 'Script', parameters: { source: 'return $input.text;' } },
  ],
  edges: [
    { source: 'start', target: 'order' },
    { source: 'order', target: 'letter' },
    { source: 'letter', target: 'script' },
  ],
};

const LETTERS: Definition = {
  nodes: [
    { id: 'start', type: 'trigger.manual', name: 'Start', position: { x: 0, y: 0 } },
    {
      id: 'the-order',
      type: 'set',
      name: 'Order',
      parameters: { fields: { customer: '{{ $trigger.customer }}' } },
      position: { x: 280, y: 0 },
    },
    {
      id: 'letter',
      type: 'set',
      name: 'Letter',
      parameters: { fields: { text: 'Dear ' } },
      position: { x: 560, y: 0 },
    },
    {
      id: 'script',
      type: 'code',
      name: 'Script',
      parameters: { source: 'console.log("written", $input.text); return $input.text;' },
      position: { x: 840, y: 0 },
    },
  ],
  edges: [
    { source: 'start', target: 'the-order' },
    { source: 'the-order', target: 'letter' },
    { source: 'letter', target: 'script' },
  ],
};
const INPUT = { customer: { name: 'Ada', 'first name': 'Augusta' } };

let stack: OwnedStack;
let browser: Browser;

beforeAll(async () => {
  [stack, browser] = await Promise.all([shareStack(), startBrowser()]);
});
afterAll(stopAll);

const node = (page: Page, name: string) => page.locator('.react-flow__node', { hasText: name });
const form = (page: Page) => page.getByRole('region', { name: 'Node', exact: true });
/** Returns the field once its editor is loaded. */
const field = (page: Page, label: string) => form(page).locator('.cm-content').and(form(page).getByLabel(label));
const dock = (page: Page) => page.getByRole('region', { name: 'Run data' });
const tab = (page: Page, name: string) => dock(page).getByRole('tab', { name, exact: true });
const key = (page: Page, name: string) =>
  dock(page).getByRole('treeitem').getByRole('button', { name, exact: true }).first();
const read = (id: string) => stack.say<Workflow>('GET', `/api/workflows/${id}`);

/** Saves the workflow and lets it run to its end. */
async function makeRun(): Promise<string> {
  const id = await stack.createWorkflow('Letters', ORDER);
  const run = await stack.start(id, { customer: { name: 'Ada', city: 'London' } });
  await until(
    async () => (await stack.say<{ status: string }>('GET', `/api/executions/${run}`)).status === 'success',
    'the run to be over',
  );
  return id;
}

/** Adds a node by typing its name. */
async function add(page: Page, title: string): Promise<void> {
  await addNode(page, title);
  await form(page).getByRole('heading', { name: title, exact: true }).waitFor();
}

/** Chooses a node of those to add. */
async function pick(page: Page, word: string): Promise<void> {
  await page.getByRole('dialog', { name: 'Add node' }).getByRole('combobox').fill(word);
  await page.keyboard.press('Enter');
}

/** Accepts the completion with this name. */
async function take(page: Page, name: string): Promise<void> {
  await page.locator('.cm-tooltip-autocomplete li[aria-selected="true"]', { hasText: name }).waitFor();
  await page.keyboard.press('Enter');
}

describe('a workflow', () => {
  it('is built by mouse and keyboard, saved, run, and watched live on its canvas', async () => {
    const { page, complaints } = await openWindow(browser, stack.url);
    await openAs(page, stack);
    await page.getByRole('button', { name: 'New workflow' }).first().click();
    await page.getByRole('dialog').getByLabel('Name').fill('Greeting');
    await page.getByRole('button', { name: 'Create' }).click();
    await node(page, 'Start').click();

    await add(page, 'Edit fields');
    await form(page).getByLabel('Name', { exact: true }).fill('Greet');
    await form(page).getByRole('button', { name: 'Add to fields' }).click();
    await form(page).getByLabel('Fields: name 1').fill('text');
    await form(page).getByLabel('Fields: value 1').fill('{{ "Hello, " + $trigger.name }}');
    await add(page, 'If');
    await form(page).getByLabel('Condition').fill('{{ $input.text.length > 8 }}');
    await add(page, 'End (result)');
    await form(page).getByLabel('Body', { exact: true }).fill('{{ $nodes.set.output }}');
    // Another node where a connection is dropped, and an edge by hand.
    await node(page, 'If')
      .locator('.react-flow__handle-right')
      .nth(1)
      .dragTo(page.locator('.react-flow__pane'), { targetPosition: { x: 250, y: 500 } });
    await page.getByRole('combobox', { name: 'Search nodes' }).fill('throw');
    await page.keyboard.press('Enter');
    await form(page).getByLabel('Message').fill('too short');
    await node(page, 'Greet')
      .locator('.react-flow__handle-right')
      .dragTo(node(page, 'End (result)').locator('.react-flow__handle-left'));

    await page.keyboard.press('Control+S');
    await page.getByText('Saved', { exact: true }).waitFor();
    const id = page.url().split('/').at(-1)!;
    const { definition } = await read(id);
    expect(definition?.nodes.map(({ type }) => type)).toEqual(['trigger.manual', 'set', 'if', 'terminal', 'fail']);
    expect(definition?.edges).toEqual([
      { source: 'start', target: 'set' },
      { source: 'set', target: 'if' },
      { source: 'if', sourceHandle: 'true', target: 'terminal' },
      { source: 'if', sourceHandle: 'false', target: 'fail' },
      { source: 'set', target: 'terminal' },
    ]);

    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('textbox', { name: 'Input' }).fill('{ "name": "Ada" }');
    await page.getByRole('dialog').getByRole('button', { name: 'Run', exact: true }).click();
    await node(page, 'End (result)').getByRole('img', { name: 'Success' }).waitFor();
    await node(page, 'Fail').getByRole('img', { name: 'Skipped' }).waitFor();
    await page.getByRole('link', { name: 'Open run' }).click();
    await page.getByRole('region', { name: 'Run', exact: true }).getByText('"Hello, Ada"').waitFor();
    expect(complaints).toEqual([]);
  });
});

describe('nodes', () => {
  it('are added after an output, on an edge and where a connection is dropped, by a word for its purpose', async () => {
    const id = await stack.createWorkflow('Plus', {
      nodes: [
        { id: 'start', type: 'trigger.manual', name: 'Start', position: { x: 0, y: 0 } },
        { id: 'shape', type: 'set', name: 'Shape', parameters: { fields: {} }, position: { x: 280, y: 0 } },
      ],
      edges: [{ source: 'start', target: 'shape' }],
    });
    const { page, complaints } = await openWindow(browser, stack.url);
    await openAs(page, stack, `workflows/${id}`);
    const edges = async () => (await stack.say<Draft>('GET', `/api/workflows/${id}/draft`)).definition.edges;
    const output = (name: string) => node(page, name).locator('.react-flow__handle.source').first();

    await output('Shape').click();
    const picker = page.getByRole('dialog', { name: 'Add node' });
    await picker.getByRole('option', { name: 'HTTP request' }).waitFor();
    expect(await picker.getByRole('option', { name: 'Schedule' }).count()).toBe(0);
    expect(await issuesOfAccess(page)).toEqual([]);
    await pick(page, 'javascript');

    await output('Code').dragTo(page.locator('.react-flow__pane'), { targetPosition: { x: 500, y: 420 } });
    await pick(page, 'slack');
    await node(page, 'HTTP request').waitFor();

    const here = page.getByRole('button', { name: 'Add node here' });
    await fitView(page);
    const edge = page.locator('.react-flow__edge').first();
    // A straight edge has no height, so that the browser calls it invisible.
    const box = await edge.boundingBox();
    if (!box) throw new Error('the edge is nowhere');
    for (const share of [0.3, 0.4]) await page.mouse.move(box.x + box.width * share, box.y + box.height * share);
    await here.waitFor();
    await page.locator('.react-flow__pane').hover({ position: { x: 20, y: 20 } });
    await here.waitFor({ state: 'detached' });
    await edge.press('Enter');
    const size = async () => (await here.boundingBox())?.width ?? 0;
    const before = await size();
    for (let step = 0; step < 3; step += 1) await page.getByRole('button', { name: 'Zoom Out' }).click();
    // Large enough for a finger at any zoom.
    expect([before >= 24, (await size()) >= 24]).toEqual([true, true]);
    await here.press('Enter');
    await pick(page, 'delay');
    await node(page, 'Wait').waitFor();
    await page.getByRole('status', { name: 'Saved state' }).getByText('Draft saved').waitFor();
    await until(async () => (await edges()).length === 4);
    expect(new Set((await edges()).map(({ source, target }) => `${source} ${target}`))).toEqual(
      new Set(['start wait', 'wait shape', 'shape code', 'code http']),
    );
    expect(complaints).toEqual([]);
  });

  it('are dragged together in one step, and undone together', async () => {
    const id = await stack.createWorkflow('Dragged', CHAIN);
    const { page, complaints } = await openWindow(browser, stack.url);
    await openAs(page, stack, `workflows/${id}`);
    const save = async (): Promise<Definition> => {
      await page.keyboard.press('Control+S');
      await page.getByText('Saved', { exact: true }).waitFor();
      return (await read(id)).definition!;
    };
    await fitView(page);
    await node(page, 'Check').click();
    await page.keyboard.down('Control');
    await node(page, 'Ship').click();
    await page.keyboard.up('Control');
    await dragBy(page, node(page, 'Ship'), 30, -60);
    const moved = await save();
    const shift = (id: string): number => {
      const yOf = ({ nodes }: Definition): number => nodes.find((one) => one.id === id)?.position?.y ?? 0;
      return yOf(moved) - yOf(CHAIN);
    };
    expect(shift('check')).toBeLessThan(0);
    expect(shift('ship')).toBe(shift('check'));
    expect(shift('read')).toBe(0);
    await page.getByRole('button', { name: 'Undo' }).click();
    expect(await save()).toEqual(CHAIN);
    expect(complaints).toEqual([]);
  });
});

describe('an expression', () => {
  it('is completed by keyboard from the last run, tried out, saved and run', async () => {
    const id = await makeRun();
    const { page, complaints } = await openWindow(browser, stack.url);
    await openAs(page, stack, `workflows/${id}?node=letter`);
    const value = field(page, 'Fields: value 1');
    await value.fill('');
    await value.press('End');
    await page.keyboard.type('Dear {{ $no');
    await take(page, '$nodes');
    await page.keyboard.type('.or');
    await take(page, 'order');
    await page.keyboard.type('.out');
    await take(page, 'output');
    await page.keyboard.type('.cus');
    await take(page, 'customer');
    await page.keyboard.type('.na');
    await take(page, 'name');
    await page.keyboard.type('.toUp');
    await take(page, 'toUpperCase');
    await form(page).getByText('In the last run: "Dear ADA"').waitFor();
    expect(await value.textContent()).toMatch(
      /^Dear \{\{ \$nodes\.order\.output\.customer\.name\.toUpperCase\(\) ?\}\}$/,
    );

    await page.keyboard.press('Control+S');
    await page.getByText('Saved', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('dialog').getByRole('textbox', { name: 'Input' }).fill('{ "customer": { "name": "Grace" } }');
    await page.getByRole('dialog').getByRole('button', { name: 'Run', exact: true }).click();
    await node(page, 'Script').getByRole('img', { name: 'Success' }).waitFor();
    // The next preview shows data of the run.
    await form(page).getByText('In the last run: "Dear GRACE"').waitFor();
    const { definition } = await read(id);
    expect(definition?.nodes[2]?.parameters?.fields).toEqual({
      text: expect.stringContaining('$nodes.order.output.customer.name.toUpperCase()'),
    });
    expect(complaints).toEqual([]);
  });
});

describe('the data of a node below the canvas', () => {
  it('is that of the last run, with its logs, and its keys are inserted at the cursor', async () => {
    const id = await stack.createWorkflow('Letters', LETTERS);
    const { page, complaints } = await openWindow(browser, stack.url);
    await openAs(page, stack, `workflows/${id}`);
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Input' }).fill(JSON.stringify(INPUT));
    await dialog.getByRole('combobox', { name: 'Mode' }).click();
    await page.getByRole('option', { name: /^Debug/ }).click();
    await dialog.getByRole('button', { name: 'Run', exact: true }).click();
    await dock(page).getByText('Select a node to see its input, output and logs.').waitFor();
    await fitView(page);
    await node(page, 'Script').click();
    await dock(page).getByRole('tree', { name: 'Output of script' }).getByText('"Dear "').waitFor();
    await tab(page, 'Logs').click();
    await dock(page).getByRole('tree', { name: 'Console of script' }).getByText('written Dear').waitFor();

    await node(page, 'Letter').click();
    await tab(page, 'Input').click();
    const value = field(page, 'Fields: value 1');
    await value.press('End');
    await dock(page).getByText('Click a key to insert it into "Fields: value 1"').waitFor();
    await key(page, 'first name').click();
    await page.getByText(/^Inserted /).waitFor();
    expect(await value.textContent()).toBe('Dear {{ $nodes["the-order"].output.customer["first name"] }}');
    await form(page).getByText('In the last run: "Dear Augusta"').waitFor();

    // Inside of an expression, without braces; and by keyboard.
    await value.fill('{{ $vars.a ?? }}');
    for (let step = 0; step < 2; step += 1) await value.press('ArrowLeft');
    await value.press('F6');
    expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe('Run data');
    await key(page, 'name').focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('F6');
    expect(await page.evaluate('document.activeElement.className')).toContain('cm-content');
    expect(await value.textContent()).toMatch(
      /^\{\{ \$vars\.a \?\? \$nodes\["the-order"\]\.output\.customer\.name ?\}\}$/,
    );

    // The data of nodes further up.
    await dock(page).getByText('From Start').click();
    await value.fill('');
    await key(page, '$trigger').click();
    expect(await value.textContent()).toBe('{{ $trigger }}');
    expect(complaints).toEqual([]);
  });
});
