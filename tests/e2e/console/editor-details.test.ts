import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Definition } from '@deckhand/contracts';
import type { Browser, Page } from 'playwright-core';
import { addNode, openWindow, openAs, startBrowser } from '../../harness/browser.ts';
import { type OwnedStack, shareStack } from '../../harness/console.ts';
import { stopAll } from '../../harness/index.ts';

const CHECK: Definition = {
  nodes: [
    { id: 'start', type: 'trigger.manual', name: 'Start', position: { x: 0, y: 0 } },
    { id: 'if', type: 'if', name: 'Check', parameters: { condition: '{{ true }}' }, position: { x: 280, y: 0 } },
  ],
  edges: [{ source: 'start', target: 'if' }],
};
const HOOK: Definition = {
  nodes: [
    { id: 'hook', type: 'trigger.webhook', name: 'Order arrives', position: { x: 0, y: 0 } },
    { id: 'keep', type: 'set', name: 'Keep it', parameters: { fields: { sku: '' } }, position: { x: 280, y: 0 } },
  ],
  edges: [{ source: 'hook', target: 'keep' }],
};

let stack: OwnedStack;
let browser: Browser;

beforeAll(async () => {
  [stack, browser] = await Promise.all([shareStack(), startBrowser()]);
});
afterAll(stopAll);

const node = (page: Page, name: string) => page.locator('.react-flow__node', { hasText: name });
const form = (page: Page) => page.getByRole('region', { name: 'Node', exact: true });
const field = (page: Page, label: string) => form(page).locator('.cm-content').and(form(page).getByLabel(label));
const saved = (page: Page, text: string) => page.getByRole('status', { name: 'Saved state' }).getByText(text).waitFor();
const draftOf = async (id: string) =>
  (await stack.say<{ definition: Definition }>('GET', `/api/workflows/${id}/draft`)).definition;

async function openEditor(name: string, definition: Definition): Promise<{ page: Page; id: string }> {
  const id = await stack.createWorkflow(name, definition);
  const { page } = await openWindow(browser, stack.url);
  await openAs(page, stack, `workflows/${id}`);
  await page.locator('.react-flow__node').first().waitFor();
  return { page, id };
}

async function add(page: Page, title: string): Promise<void> {
  await addNode(page, title);
  await form(page).getByRole('heading', { name: title, exact: true }).waitFor();
}

/** The scale of the camera. */
const zoomOf = async (page: Page): Promise<string | undefined> => {
  const style = (await page.locator('.react-flow__viewport').getAttribute('style')) ?? '';
  return /scale\(([^)]+)\)/.exec(style)?.[1];
};

describe('the canvas', () => {
  it('adds a node at the first free output, never zooms by itself, and marks the selected edge', async () => {
    const { page, id } = await openEditor('Outputs', CHECK);
    const zoom = await zoomOf(page);
    await node(page, 'Check').click();
    await add(page, 'Wait');
    await page.locator('.react-flow__node', { hasText: 'Check' }).focus();
    await page.keyboard.press('Enter');
    await form(page).getByRole('heading', { name: 'If', exact: true }).waitFor();
    await add(page, 'Merge');
    await saved(page, 'Draft saved');
    expect((await draftOf(id)).edges.slice(1)).toEqual([
      { source: 'if', sourceHandle: 'true', target: 'wait' },
      { source: 'if', sourceHandle: 'false', target: 'merge' },
    ]);
    expect(await zoomOf(page)).toBe(zoom);
    const edges = page.locator('.react-flow__edge');
    await edges.first().focus();
    await page.keyboard.press('Enter');
    await page.locator('.react-flow__edge.selected').waitFor({ state: 'attached' });
    const strokes = await page.evaluate<string[]>(
      "[...document.querySelectorAll('.react-flow__edge-path')].map((path) => getComputedStyle(path).stroke)",
    );
    expect(strokes).toHaveLength(3);
    expect(strokes[0]).not.toBe(strokes[1]);
    // The issues of a save cover the graph, and do not move it.
    const graph = page.getByRole('region', { name: 'Graph' });
    const before = await graph.boundingBox();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await graph
      .getByRole('alert')
      .getByText(/^Not saved/)
      .waitFor();
    expect(await graph.boundingBox()).toEqual(before);
  });
});

describe('an expression', () => {
  it('is completed before a first run, as far as the data are known', async () => {
    const { page } = await openEditor('New', HOOK);
    await node(page, 'Keep it').click();
    const value = field(page, 'Fields: value 1');
    await value.click();
    await page.keyboard.type('{{ $trigger.');
    await page.locator('.cm-tooltip-autocomplete li', { hasText: 'headers' }).waitFor();
  });
});

describe('a run from the editor', () => {
  it('by a test event is announced, and shown on the canvas', async () => {
    const { page } = await openEditor('Tested', HOOK);
    await node(page, 'Order arrives').click();
    await page.getByRole('button', { name: 'Listen for test event' }).click();
    const status = page.getByRole('status', { name: 'Test event' });
    await status.getByText(/^Listening/).waitFor();
    const address = await form(page)
      .getByText(/webhook-test/)
      .textContent();
    const { pathname } = new URL(address!.slice('POST '.length));
    const sent = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"sku":"A-17"}' };
    expect((await fetch(stack.url + pathname, sent)).status).toBe(200);
    await status.getByText('Event received. Its run is on the canvas.').waitFor();
    await node(page, 'Keep it').getByRole('img', { name: 'Success' }).waitFor();
  });
});
