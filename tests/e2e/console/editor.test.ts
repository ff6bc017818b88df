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

  it('shows what is wrong on the node, is saved once that is mended, and warns of a limit', async () => {
    const id = await stack.createWorkflow('Faulty', {
      ...chain({ id: 'rest', type: 'wait', parameters: { seconds: 60 } }),
      settings: { timeoutSeconds: 30 },
    });
    const { page, complaints } = await openWindow(browser, stack.url);
    await signIn(page, OWNER);
    await openEditor(page, id);
    await node(page, 'start').click();
    await add(page, 'If');
    await form(page).getByLabel('Condition').fill('{{ 1 + }}');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await node(page, 'If')
      .getByRole('img', { name: /condition/ })
      .waitFor();
    await form(page).getByRole('alert').waitFor();
    await form(page).getByLabel('Condition').fill('{{ true }}');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    await page.getByText('The wait of node "rest", up to 60 s, is longer than the limit of its run').waitFor();
    expect(complaints).toEqual([]);
  });

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
  });

  it('is run with an input that was saved under a name, or with that of an earlier run', async () => {
    const id = await stack.createWorkflow('Again', { nodes: [{ id: 'start', type: 'trigger.manual' }], edges: [] });
    const { page, complaints } = await openWindow(browser, stack.url);
    await signIn(page, OWNER);
    await openEditor(page, id);
    await node(page, 'start').waitFor();
    await page.keyboard.press('Control+Enter');
    const dialog = page.getByRole('dialog', { name: 'Run workflow' });
    const input = dialog.getByRole('textbox', { name: 'Input', exact: true });
    const source = dialog.getByRole('combobox', { name: 'Fill in from' });
    expect(await source.isDisabled()).toBe(true);
    await input.fill('{"order": 17}');
    await dialog.getByRole('button', { name: 'Save input…' }).click();
    await dialog.getByLabel('Name of the input').fill('An order');
    await page.keyboard.press('Enter');
    expect(await issuesInBothSchemes(page, 'run-dialog', 'desktop')).toEqual([]);
    await input.fill('{"order": 18}');
    await input.press('Control+Enter');
    await node(page, 'start').getByRole('img', { name: 'Success' }).waitFor();

    await page.reload();
    await node(page, 'start').waitFor();
    await page.keyboard.press('Control+Enter');
    await source.click();
    await page.getByRole('option', { name: 'An order' }).click();
    expect(JSON.parse(await input.inputValue())).toEqual({ order: 17 });
    await dialog.getByRole('button', { name: 'Delete An order' }).click();
    await source.click();
    await page.getByRole('option', { name: /Success$/ }).click();
    await until(async () => (await input.inputValue()).includes('18'));
    expect(await page.getByRole('option', { name: 'An order' }).count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('gets what was copied or cut in another, as JSON, and nothing from other text', async () => {
    const ids = await Promise.all([
      stack.createWorkflow('From', {
        ...chain(
          { id: 'rest', type: 'wait', parameters: { seconds: 5 } },
          { id: 'last', type: 'set', parameters: { fields: {} } },
        ),
      }),
      stack.createWorkflow('To', { nodes: [{ id: 'start', type: 'trigger.manual' }], edges: [] }),
    ]);
    const { page, complaints } = await openWindow(browser, stack.url);
    await signIn(page, OWNER);
    await openEditor(page, ids[0]);
    await node(page, 'rest').click();
    await page.keyboard.down('Control');
    await node(page, 'last').click();
    await page.keyboard.up('Control');
    await page.keyboard.press('Control+X');
    await node(page, 'rest').waitFor({ state: 'detached' });
    await openEditor(page, ids[1]);
    await page.keyboard.press('Control+V');
    await node(page, 'last').waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    const { definition } = await stack.say<Workflow>('GET', `/api/workflows/${ids[1]}`);
    expect(definition).toMatchObject({
      nodes: [{ id: 'start' }, { id: 'rest', parameters: { seconds: 5 } }, { id: 'last' }],
      edges: [{ source: 'rest', target: 'last' }],
    });
    // A field keeps its own paste.
    const name = form(page).getByLabel('Name', { exact: true });
    await node(page, 'start').click();
    await name.fill('Begin');
    await name.selectText();
    await page.keyboard.press('Control+C');
    await page.locator('.react-flow__pane').click({ position: { x: 5, y: 5 } });
    await page.keyboard.press('Control+V');
    await node(page, 'Begin').waitFor();
    expect(await page.locator('.react-flow__node').count()).toBe(3);
    expect(complaints).toEqual([]);
  });

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
    await first.getByRole('button', { name: 'Save', exact: true }).click();
    await first.getByText('Saved', { exact: true }).waitFor();
    await add(second, 'Merge');
    await second.getByRole('button', { name: 'Save', exact: true }).click();
    await second.getByRole('dialog').getByText('Somebody else saved a version in the meantime').waitFor();
    expect((await latest(id)).definition?.nodes.map(({ type }) => type)).toEqual(['trigger.manual', 'wait']);
    await second.getByRole('button', { name: 'Save mine as latest' }).click();
    await second.getByText('Saved', { exact: true }).waitFor();
    expect((await latest(id)).definition?.nodes.map(({ type }) => type)).toEqual(['trigger.manual', 'merge']);
    await second.getByRole('button', { name: 'Versions' }).click();
    await second.getByText('Version 3').waitFor();
    await second.getByText('Version 2').waitFor();
  });

  it('takes webhooks once it is active', async () => {
    const id = await stack.createWorkflow('Hooked', HOOK);
    const { page } = await openWindow(browser, stack.url);
    await signIn(page, OWNER);
    await openEditor(page, id);
    await page.getByRole('switch', { name: 'Active' }).click();
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
    await page.getByRole('link', { name: 'Runs', exact: true }).click();
    await page.getByRole('table', { name: 'Runs' }).getByText('webhook').waitFor();
  });
});

describe('the versions of a workflow', () => {
  it('are saved with a comment, compared on one graph, and taken up again', async () => {
    const id = await stack.createWorkflow('Compared', {
      nodes: [
        { id: 'start', type: 'trigger.manual', name: 'Order arrives' },
        { id: 'keep', type: 'set', name: 'Keep it', parameters: { fields: { sku: '{{ $trigger.sku }}' } } },
        { id: 'wait', type: 'wait', name: 'Hold it back', parameters: { seconds: 60 } },
      ],
      edges: [
        { source: 'start', target: 'keep' },
        { source: 'keep', target: 'wait' },
      ],
    });
    const { page, complaints } = await openWindow(browser, stack.url);
    await signIn(page, OWNER);
    await openEditor(page, id);
    await node(page, 'Hold it back').click();
    await page.keyboard.press('Delete');
    await node(page, 'Keep it').click();
    await form(page).getByLabel('Fields: value 1').fill('{{ $trigger.article }}');
    await add(page, 'End (result)');

    await page.getByRole('button', { name: 'Save with a comment…' }).click();
    const comment = page.getByRole('dialog').getByLabel('Comment');
    await comment.fill('x'.repeat(2_001));
    await page.keyboard.press('Control+S');
    await page
      .getByRole('dialog')
      .getByText(/2000 characters/)
      .waitFor();
    await comment.fill('Names the article');
    await page.keyboard.press('Control+S');
    await page.getByText('Saved', { exact: true }).waitFor();
    const { data: saved } = await stack.say<PageOf<VersionEntry>>('GET', `/api/workflows/${id}/versions`);
    expect(saved.map((version) => version.comment)).toEqual(['Names the article', '']);

    await page.getByRole('button', { name: 'Versions' }).click();
    const versions = page.getByRole('list', { name: 'Versions' });
    expect(await versions.getByRole('listitem').first().innerText()).toMatch(
      /Version 2\s+Latest\s+Names the article\s+You, /,
    );
    await page.getByRole('link', { name: 'Compare version 2' }).click();
    await node(page, 'Keep it').getByText('Changed').waitFor();
    await node(page, 'End (result)').getByText('Added').waitFor();
    await node(page, 'Hold it back').getByText('Removed').waitFor();
    await page.getByText('1 node added, 1 removed, 1 changed; 1 connection added, 1 removed.').waitFor();
    expect(await changes(page).getByRole('listitem').allInnerTexts()).toEqual([
      expect.stringMatching(/Keep it\s+fields.sku\s+~\s+Changed/),
      expect.stringMatching(/End \(result\)\s+End \(result\)\s+\+\s+Added/),
      expect.stringMatching(/Hold it back\s+Wait\s+−\s+Removed/),
      expect.stringMatching(/Keep it → End \(result\)\s+Connection\s+\+\s+Added/),
      expect.stringMatching(/Keep it → Hold it back\s+Connection\s+−\s+Removed/),
    ]);
    const sku = page.getByRole('group', { name: 'fields.sku' });
    await sku.getByRole('group', { name: 'Before' }).getByText('{{ $trigger.sku }}').waitFor();
    await sku.getByRole('group', { name: 'After' }).getByText('{{ $trigger.article }}').waitFor();
    await changes(page).getByRole('button', { name: 'Hold it back' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('group', { name: 'seconds' }).getByText('60').waitFor();
    await node(page, 'Order arrives').focus();
    await page.keyboard.press('Enter');
    await page.getByText('No changes in this node.').waitFor();

    // Version 1 is restored, and compared before it is saved; it is still on the canvas afterwards.
    await page.getByRole('link', { name: 'Back to the workflow' }).click();
    await page.getByRole('button', { name: 'Versions' }).click();
    await page.getByRole('button', { name: 'Restore version 1' }).click();
    await node(page, 'Hold it back').waitFor();
    await page.getByRole('button', { name: 'Versions' }).click();
    await page.getByRole('link', { name: 'Compare the canvas' }).click();
    await node(page, 'Hold it back').getByText('Added').waitFor();
    await node(page, 'End (result)').getByText('Removed').waitFor();
    await page.goBack();
    await page.getByText('Draft saved', { exact: true }).waitFor();
    await node(page, 'Hold it back').waitFor();
    expect(complaints).toEqual([]);
  });

  it('can be read by those who may not change them', async () => {
    const { id } = await createCheck('Looked at');
    const { page, complaints } = await openAsMember(browser, stack, 'viewer');
    await openEditor(page, id);
    await page.getByRole('button', { name: 'Versions' }).click();
    await page.getByText(`${OWNER.name}, `).first().waitFor();
    expect(await page.getByRole('button', { name: /^Restore/ }).count()).toBe(0);
    await page.getByRole('link', { name: 'Compare version 2' }).click();
    await changes(page).getByRole('button', { name: 'Workflow settings' }).click();
    await page.getByRole('group', { name: 'Run timeout' }).getByText('600').waitFor();
    await page.getByRole('combobox', { name: 'After' }).click();
    await page.getByRole('option', { name: 'Version 1' }).click();
    await page.getByText('No changes').waitFor();
    await page.getByRole('combobox', { name: 'Before' }).click();
    await page.getByRole('option', { name: 'Empty workflow' }).click();
    await page.getByText('5 nodes added; 5 connections added.').waitFor();
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
