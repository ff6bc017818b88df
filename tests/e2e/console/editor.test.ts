import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Definition, Workflow } from '@deckhand/contracts';
import type { Browser, Page } from 'playwright-core';
import { faultsOfAccess, openWindow, SCREENS, signIn, startBrowser, takePicture } from '../../harness/browser.js';
import { type OwnedStack, startOwnedStack } from '../../harness/console.js';
import { OWNER, stopAll, until } from '../../harness/index.js';

const HOOK: Definition = {
  nodes: [
    { id: 'hook', type: 'trigger.webhook', name: 'Order arrives' },
    { id: 'keep', type: 'set', name: 'Keep it', parameters: { fields: { sku: '{{ $trigger.body.sku }}' } } },
  ],
  edges: [{ source: 'hook', target: 'keep' }],
};

let stack: OwnedStack;
let browser: Browser;

beforeAll(async () => {
  [stack, browser] = await Promise.all([startOwnedStack(), startBrowser()]);
}, 60_000);
afterAll(stopAll);

const node = (page: Page, name: string) => page.locator('.react-flow__node', { hasText: name });
const form = (page: Page) => page.getByRole('region', { name: 'Node', exact: true });
const latest = (workflowId: string) => stack.say<Workflow>('GET', `/api/workflows/${workflowId}`);

async function openEditor(page: Page, workflowId: string): Promise<void> {
  await page.goto(`/w/${stack.workspaceId}/workflows/${workflowId}`);
  await page.locator('.react-flow__node').first().waitFor();
}

/** Adds a node by typing its name into the palette. */
async function add(page: Page, title: string): Promise<void> {
  await page.getByLabel('Search for a node').fill(title);
  await page.keyboard.press('Enter');
  await form(page).getByRole('heading', { name: title, exact: true }).waitFor();
}

describe('a workflow', () => {
  it('is built by mouse and keyboard, saved, run, and watched live on its canvas', async () => {
    const { page, complaints } = await openWindow(browser, stack.url);
    await signIn(page, OWNER);
    await page.getByRole('button', { name: 'New workflow' }).first().click();
    await page.getByRole('dialog').getByLabel('Name').fill('Greeting');
    await page.getByRole('button', { name: 'Create' }).click();
    await node(page, 'Start').click();

    await add(page, 'Set fields');
    await form(page).getByLabel('Name', { exact: true }).fill('Greet');
    await form(page).getByRole('button', { name: 'Add to fields' }).click();
    await form(page).getByLabel('Fields: name 1').fill('text');
    await form(page).getByLabel('Fields: value 1').fill('{{ "Hello, " + $trigger.name }}');
    await add(page, 'If');
    await form(page).getByLabel('Condition').fill('{{ $input.text.length > 8 }}');
    await add(page, 'Terminal');
    await form(page).getByLabel('Body').fill('{{ $nodes.set.output }}');
    // One more by dragging it onto the canvas, and an edge drawn by hand.
    await page.getByLabel('Search for a node').fill('');
    await page.getByRole('button', { name: 'Fail', exact: true }).dragTo(page.locator('.react-flow__pane'), {
      targetPosition: { x: 250, y: 520 },
    });
    await form(page).getByLabel('Message').fill('too short');
    await node(page, 'If')
      .locator('.react-flow__handle-right')
      .nth(1)
      .dragTo(node(page, 'Fail').locator('.react-flow__handle-left'));

    await page.keyboard.press('Control+S');
    await page.getByText('Saved', { exact: true }).waitFor();
    const id = page.url().split('/').at(-1)!;
    const { definition } = await latest(id);
    expect(definition?.nodes.map(({ type }) => type)).toEqual(['trigger.manual', 'set', 'if', 'terminal', 'fail']);
    expect(definition?.edges).toEqual([
      { source: 'start', target: 'set' },
      { source: 'set', target: 'if' },
      { source: 'if', sourceHandle: 'true', target: 'terminal' },
      { source: 'if', sourceHandle: 'false', target: 'fail' },
    ]);

    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByLabel('Input').fill('{ "name": "Ada" }');
    await page.getByRole('dialog').getByRole('button', { name: 'Run', exact: true }).click();
    await node(page, 'Terminal').getByRole('img', { name: 'Success' }).waitFor();
    await node(page, 'Fail').getByRole('img', { name: 'Skipped' }).waitFor();
    await page.getByRole('link', { name: 'Open the run' }).click();
    await page.getByRole('region', { name: 'Run', exact: true }).getByText('"Hello, Ada"').waitFor();
    expect(complaints).toEqual([]);
  }, 120_000);

  it('shows what is wrong on the node, and is saved once that is mended', async () => {
    const id = await stack.createWorkflow('Faulty', { nodes: [{ id: 'start', type: 'trigger.manual' }], edges: [] });
    const { page, complaints } = await openWindow(browser, stack.url);
    await signIn(page, OWNER);
    await openEditor(page, id);
    await node(page, 'start').click();
    await add(page, 'If');
    await form(page).getByLabel('Condition').fill('{{ 1 + }}');
    await page.getByRole('button', { name: 'Save' }).click();
    await node(page, 'If')
      .getByRole('img', { name: /condition/ })
      .waitFor();
    await form(page).getByRole('alert').waitFor();
    await form(page).getByLabel('Condition').fill('{{ true }}');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    expect(complaints).toEqual([]);
  }, 60_000);

  it('is taken back step by step, copied and pasted', async () => {
    const id = await stack.createWorkflow('Steps', { nodes: [{ id: 'start', type: 'trigger.manual' }], edges: [] });
    const { page } = await openWindow(browser, stack.url);
    await signIn(page, OWNER);
    await openEditor(page, id);
    const count = (wanted: number) => until(async () => (await page.locator('.react-flow__node').count()) === wanted);
    await node(page, 'start').click();
    await add(page, 'Wait');
    await count(2);
    await node(page, 'Wait').click();
    await page.keyboard.press('Control+C');
    await page.keyboard.press('Control+V');
    await count(3);
    await page.keyboard.press('Delete');
    await count(2);
    await page.keyboard.press('Control+Z');
    await count(3);
    await page.keyboard.press('Control+Z');
    await page.keyboard.press('Control+Z');
    await count(1);
    await page.keyboard.press('Control+Shift+Z');
    await count(2);
  }, 60_000);

  it('that two people change at once keeps both: the later save is refused kindly', async () => {
    const id = await stack.createWorkflow('Shared', { nodes: [{ id: 'start', type: 'trigger.manual' }], edges: [] });
    const windows = await Promise.all([openWindow(browser, stack.url), openWindow(browser, stack.url)]);
    for (const { page } of windows) {
      await signIn(page, OWNER);
      await openEditor(page, id);
      await node(page, 'start').click();
    }
    const [{ page: first }, { page: second }] = windows;
    await add(first, 'Wait');
    await first.getByLabel('Seconds', { exact: true }).fill('1');
    await first.getByRole('button', { name: 'Save' }).click();
    await first.getByText('Saved', { exact: true }).waitFor();
    await add(second, 'Merge');
    await second.getByRole('button', { name: 'Save' }).click();
    await second.getByRole('dialog').getByText('Somebody else saved a version meanwhile').waitFor();
    expect((await latest(id)).definition?.nodes.map(({ type }) => type)).toEqual(['trigger.manual', 'wait']);
    await second.getByRole('button', { name: 'Save mine on top' }).click();
    await second.getByText('Saved', { exact: true }).waitFor();
    expect((await latest(id)).definition?.nodes.map(({ type }) => type)).toEqual(['trigger.manual', 'merge']);
    await second.getByRole('button', { name: 'Versions' }).click();
    await second.getByText('Version 3').waitFor();
    await second.getByText('Version 2').waitFor();
  }, 90_000);

  it('takes webhooks once it is active', async () => {
    const id = await stack.createWorkflow('Hooked', HOOK);
    const { page } = await openWindow(browser, stack.url);
    await signIn(page, OWNER);
    await openEditor(page, id);
    await page.getByRole('combobox', { name: 'Status of the workflow' }).click();
    await page.getByRole('option', { name: 'Active', exact: true }).click();
    await page.getByText('The workflow is active.').waitFor();
    await node(page, 'Order arrives').click();
    const address = await form(page)
      .getByText(/^POST http/)
      .textContent();
    const { pathname } = new URL(address!.slice('POST '.length));
    const answer = await fetch(stack.url + pathname, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ sku: 'A-17' }),
    });
    expect(answer.status).toBe(200);
    await page.getByRole('link', { name: 'Runs' }).click();
    await page.getByRole('table', { name: 'Runs' }).getByText('webhook').waitFor();
  }, 60_000);
});

it.each(['light', 'dark'] as const)(
  'the editor can be used by everybody, in %s',
  async (colorScheme) => {
    const id = await stack.createWorkflow('Order intake', HOOK);
    for (const screen of ['desktop', 'phone'] as const) {
      const { page, complaints } = await openWindow(browser, stack.url, { screen, colorScheme });
      await signIn(page, OWNER);
      await openEditor(page, id);
      await node(page, 'Keep it').click();
      await form(page).getByLabel('Fields: name 1').waitFor();
      await takePicture(page, `editor-${screen}-${colorScheme}`);
      expect(await faultsOfAccess(page)).toEqual([]);
      expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(
        SCREENS[screen].width,
      );
      expect(complaints).toEqual([]);
    }
  },
  120_000,
);
