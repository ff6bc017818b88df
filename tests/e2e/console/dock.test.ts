import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Definition, ExecuteResponse, PageOf, VersionEntry } from '@deckhand/contracts';
import type { Browser, Page } from 'playwright-core';
import { fitView, issuesInBothSchemes, openWindow, SCREENS, signIn, startBrowser } from '../../harness/browser.ts';
import { type OwnedStack, startOwnedStack } from '../../harness/console.ts';
import { OWNER, stopAll, until } from '../../harness/index.ts';

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

const LOOP: Definition = {
  nodes: [
    { id: 'start', type: 'trigger.manual', name: 'Start', position: { x: 0, y: 0 } },
    {
      id: 'each',
      type: 'loop',
      name: 'Each',
      parameters: { items: '{{ $trigger.items }}' },
      position: { x: 280, y: 0 },
    },
    {
      id: 'double',
      type: 'set',
      name: 'Double',
      parameters: { fields: { twice: '{{ $loop.item * 2 }}' } },
      position: { x: 560, y: 0 },
    },
    {
      id: 'refuse',
      type: 'fail',
      name: 'Refuse',
      parameters: { message: 'nothing left to do' },
      position: { x: 560, y: 160 },
    },
  ],
  edges: [
    { source: 'start', target: 'each' },
    { source: 'each', sourceHandle: 'body', target: 'double' },
    { source: 'each', sourceHandle: 'done', target: 'refuse' },
  ],
};

let stack: OwnedStack;
let browser: Browser;

beforeAll(async () => {
  [stack, browser] = await Promise.all([startOwnedStack(), startBrowser()]);
});
afterAll(stopAll);

const node = (page: Page, name: string) => page.locator('.react-flow__node', { hasText: name });
const form = (page: Page) => page.getByRole('region', { name: 'Node', exact: true });
const dock = (page: Page) => page.getByRole('region', { name: 'Run data' });
const strip = (page: Page) => page.getByRole('status', { name: 'Current run' });
const field = (page: Page, label: string) => form(page).locator('.cm-content').and(form(page).getByLabel(label));
const key = (page: Page, name: string) =>
  dock(page).getByRole('treeitem').getByRole('button', { name, exact: true }).first();
const tab = (page: Page, name: string) => dock(page).getByRole('tab', { name, exact: true });

/** Saves a workflow, and lets it run to its end. */
async function makeRun(
  name: string,
  definition: Definition,
  input: object,
  executionMode = 'normal',
): Promise<{ id: string; run: string }> {
  const id = await stack.createWorkflow(name, definition);
  const body = { input, executionMode };
  const { executionId: run } = await stack.say<ExecuteResponse>('POST', `/api/workflows/${id}/execute`, body);
  await until(
    async () => (await stack.say<{ finishedAt: string | null }>('GET', `/api/executions/${run}`)).finishedAt !== null,
    'the run to be over',
  );
  return { id, run };
}

const addressOf = ({ id, run }: { id: string; run: string }) => `/w/${stack.workspaceId}/workflows/${id}?run=${run}`;

describe('the data of a node below the canvas', () => {
  it('is that of the last run, with its logs, and its keys are inserted at the cursor', async () => {
    const id = await stack.createWorkflow('Letters', LETTERS);
    const { page, complaints } = await openWindow(browser, stack.url);
    await signIn(page, OWNER);
    await page.goto(`/w/${stack.workspaceId}/workflows/${id}`);
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

  it('is collapsed and resized by keyboard, stays so after a reload, and covers nothing of the graph', async () => {
    const made = await makeRun('Sized', LETTERS, INPUT);
    const { page, complaints } = await openWindow(browser, stack.url);
    await signIn(page, OWNER);
    const address = `${addressOf(made)}&node=script`;
    await page.goto(address);
    await dock(page).getByRole('tree').waitFor();
    const heightOf = async () => (await dock(page).boundingBox())!.height;
    const before = await heightOf();
    const bottom = async () => {
      const box = (await page.locator('.react-flow').boundingBox())!;
      return box.y + box.height;
    };
    expect(await bottom()).toBeLessThanOrEqual((await dock(page).boundingBox())!.y);
    await page.getByRole('separator', { name: 'Resize run data' }).focus();
    for (let step = 0; step < 3; step += 1) await page.keyboard.press('ArrowUp');
    await until(async () => (await heightOf()) > before + 40, 'a taller dock');
    const taller = await heightOf();
    const camera = (await page.locator('.react-flow').boundingBox())!;
    const card = (await node(page, 'Script').boundingBox())!;
    expect(card.y).toBeGreaterThanOrEqual(camera.y);
    expect(card.y + card.height).toBeLessThanOrEqual(camera.y + camera.height);
    await page.goto(address);
    await until(async () => (await heightOf()) === taller, 'the same height');
    await dock(page).getByRole('button', { name: 'Collapse run data' }).click();
    await until(async () => (await heightOf()) < 60, 'a collapsed dock');
    await page.reload();
    await dock(page).getByRole('button', { name: 'Expand run data' }).click();
    await until(async () => (await heightOf()) === taller, 'the height before');
    expect(complaints).toEqual([]);
  });
});

it('the dock can be used by everybody', async () => {
  const made = await makeRun('Used', LETTERS, INPUT);
  for (const screen of ['desktop', 'phone'] as const) {
    const { page, complaints } = await openWindow(browser, stack.url, { screen });
    await signIn(page, OWNER);
    await page.goto(`${addressOf(made)}&node=letter`);
    await tab(page, 'Input').click();
    await dock(page).getByRole('tree', { name: 'Output of the-order' }).waitFor();
    expect(await issuesInBothSchemes(page, 'dock', screen)).toEqual([]);
    expect((await dock(page).boundingBox())!.width).toBeLessThanOrEqual(SCREENS[screen].width);
    expect(complaints).toEqual([]);
  }
});
