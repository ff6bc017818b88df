import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Definition, PageOf, SavedVersion, VersionEntry, Workflow } from '@deckhand/contracts';
import type { Browser, Page } from 'playwright-core';
import {
  addNode,
  fitView,
  issuesInBothSchemes,
  openAsMember,
  openWindow,
  signIn,
  startBrowser,
} from '../../harness/browser.ts';
import { type OwnedStack, startOwnedStack } from '../../harness/console.ts';
import { chain, OWNER, stopAll, until } from '../../harness/index.ts';

const HOOK: Definition = {
  nodes: [
    { id: 'hook', type: 'trigger.webhook', name: 'Order arrives' },
    { id: 'keep', type: 'set', name: 'Keep it', parameters: { fields: { sku: '{{ $trigger.body.sku }}' } } },
  ],
  edges: [{ source: 'hook', target: 'keep' }],
};

/** An order check, and its next version: a node is added, one is removed, two are changed. */
const CHECK: Definition = {
  nodes: [
    { id: 'order', type: 'trigger.manual', name: 'Order arrives', position: { x: 0, y: 60 } },
    {
      id: 'price',
      type: 'set',
      name: 'Add the price',
      parameters: { fields: { total: '{{ $trigger.amount * 12 }}', currency: 'EUR' } },
      position: { x: 280, y: 60 },
    },
    {
      id: 'large',
      type: 'if',
      name: 'Is it large?',
      parameters: { condition: '{{ $input.total > 100 }}' },
      position: { x: 560, y: 60 },
    },
    { id: 'hold', type: 'wait', name: 'Hold it back', parameters: { seconds: 60 }, position: { x: 840, y: 0 } },
    { id: 'ship', type: 'terminal', name: 'Ship', parameters: { body: '{{ $input }}' }, position: { x: 1120, y: 100 } },
  ],
  edges: [
    { source: 'order', target: 'price' },
    { source: 'price', target: 'large' },
    { source: 'large', sourceHandle: 'true', target: 'hold' },
    { source: 'hold', target: 'ship' },
    { source: 'large', sourceHandle: 'false', target: 'ship' },
  ],
};
const CHECK_LATER: Definition = {
  nodes: [
    ...CHECK.nodes.flatMap((node) => {
      if (node.id === 'hold') return [];
      if (node.id === 'large') return [{ ...node, parameters: { condition: '{{ $input.total > 250 }}' } }];
      if (node.id !== 'price') return [node];
      const fields = { total: '{{ $trigger.amount * 12 }}', currency: 'USD', region: '{{ $vars.region }}' };
      return [{ ...node, parameters: { fields }, retry: { maxAttempts: 3 } }];
    }),
    {
      id: 'ask',
      type: 'approval',
      name: 'Ask the manager',
      parameters: { message: 'Ship for {{ $input.total }}?' },
      position: { x: 840, y: 170 },
    },
  ],
  edges: [
    { source: 'order', target: 'price' },
    { source: 'price', target: 'large' },
    { source: 'large', sourceHandle: 'true', target: 'ask' },
    { source: 'ask', sourceHandle: 'approved', target: 'ship' },
    { source: 'large', sourceHandle: 'false', target: 'ship' },
  ],
  settings: { timeoutSeconds: 600 },
};

let stack: OwnedStack;
let browser: Browser;

beforeAll(async () => {
  [stack, browser] = await Promise.all([startOwnedStack(), startBrowser()]);
});
afterAll(stopAll);

const node = (page: Page, name: string) => page.locator('.react-flow__node', { hasText: name });
const form = (page: Page) => page.getByRole('region', { name: 'Node', exact: true });
const changes = (page: Page) => page.getByRole('list', { name: 'Changes' });
const latest = (workflowId: string) => stack.say<Workflow>('GET', `/api/workflows/${workflowId}`);

async function openEditor(page: Page, workflowId: string): Promise<void> {
  await page.goto(`/w/${stack.workspaceId}/workflows/${workflowId}`);
  await page.locator('.react-flow__node').first().waitFor();
}

/** Saves a workflow, and its second version on top. @returns the ids of both. */
async function createCheck(name: string): Promise<{ id: string; versionId: string }> {
  const id = await stack.createWorkflow(name, CHECK);
  const comment = 'Large orders need a person, who is asked';
  const saved = { definition: CHECK_LATER, comment };
  const { workflowVersionId } = await stack.say<SavedVersion>('POST', `/api/workflows/${id}/versions`, saved);
  return { id, versionId: workflowVersionId };
}

/** Adds a node by typing its name. */
async function add(page: Page, title: string): Promise<void> {
  await addNode(page, title);
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

    await add(page, 'Edit fields');
    await form(page).getByLabel('Name', { exact: true }).fill('Greet');
    await form(page).getByRole('button', { name: 'Add to fields' }).click();
    await form(page).getByLabel('Fields: name 1').fill('text');
    await form(page).getByLabel('Fields: value 1').fill('{{ "Hello, " + $trigger.name }}');
    await add(page, 'If');
    await form(page).getByLabel('Condition').fill('{{ $input.text.length > 8 }}');
    await add(page, 'End (result)');
    await form(page).getByLabel('Body').fill('{{ $nodes.set.output }}');
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
    const { definition } = await latest(id);
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

it('the editor can be used by everybody', async () => {
  const id = await stack.createWorkflow('Order intake', HOOK);
  const check = await createCheck('Order check');
  for (const screen of ['desktop', 'phone'] as const) {
    const { page, complaints } = await openWindow(browser, stack.url, { screen });
    await signIn(page, OWNER);
    await openEditor(page, id);
    await fitView(page);
    await node(page, 'Keep it').click();
    await form(page).getByLabel('Fields: name 1').waitFor();
    expect(await issuesInBothSchemes(page, 'editor', screen)).toEqual([]);
    await page.goto(`/w/${stack.workspaceId}/workflows/${check.id}?after=${check.versionId}`);
    await page.getByRole('group', { name: 'fields.currency' }).waitFor();
    expect(await issuesInBothSchemes(page, 'versions', screen)).toEqual([]);
    expect(complaints).toEqual([]);
  }
});
