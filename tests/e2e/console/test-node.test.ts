import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Definition, ExecuteResponse, Execution } from '@deckhand/contracts';
import type { Browser, Page } from 'playwright-core';
import { fitView, issuesInBothSchemes, openWindow, signIn, startBrowser } from '../../harness/browser.ts';
import { type OwnedStack, startOwnedStack } from '../../harness/console.ts';
import { OWNER, stopAll, until } from '../../harness/index.ts';

const GREETING: Definition = {
  nodes: [
    { id: 'start', type: 'trigger.manual', name: 'Start', position: { x: 0, y: 0 } },
    {
      id: 'customer',
      type: 'code',
      name: 'Customer',
      parameters: { source: 'return { name: "Ada" };' },
      position: { x: 280, y: 0 },
    },
    {
      id: 'letter',
      type: 'set',
      name: 'Letter',
      parameters: { fields: { text: 'Dear {{ $input.name }}' } },
      position: { x: 560, y: 0 },
    },
    {
      id: 'send',
      type: 'code',
      name: 'Send',
      parameters: { source: 'console.log("sent"); return $input.text;' },
      position: { x: 840, y: 0 },
    },
  ],
  edges: [
    { source: 'start', target: 'customer' },
    { source: 'customer', target: 'letter' },
    { source: 'letter', target: 'send' },
  ],
};

let stack: OwnedStack;
let browser: Browser;

beforeAll(async () => {
  [stack, browser] = await Promise.all([startOwnedStack(), startBrowser()]);
});
afterAll(stopAll);

const node = (page: Page, name: string) => page.locator('.react-flow__node', { hasText: name });
const pinOf = (page: Page, name: string) => node(page, name).getByRole('img', { name: 'Output pinned' });
const form = (page: Page) => page.getByRole('region', { name: 'Node', exact: true });
const dock = (page: Page) => page.getByRole('region', { name: 'Run data' });
const strip = (page: Page) => page.getByRole('status', { name: 'Current run' });
const button = (page: Page, name: string) => dock(page).getByRole('button', { name, exact: true });
const output = (page: Page, label: string, text: string) =>
  dock(page).getByRole('tree', { name: label, exact: true }).getByText(text);

/** Saves the workflow, lets it run to its end, and opens that run in the editor. */
async function openRun(name: string): Promise<{ page: Page; complaints: string[]; workflowId: string; run: string }> {
  const workflowId = await stack.createWorkflow(name, GREETING);
  const { executionId: run } = await stack.say<ExecuteResponse>('POST', `/api/workflows/${workflowId}/execute`, {});
  await until(
    async () => (await stack.say<Execution>('GET', `/api/executions/${run}`)).finishedAt !== null,
    'the run to be over',
  );
  const { page, complaints } = await openWindow(browser, stack.url);
  await signIn(page, OWNER);
  await page.goto(`/w/${stack.workspaceId}/workflows/${workflowId}?run=${run}`);
  return { page, complaints, workflowId, run };
}

const shownRun = (page: Page) =>
  stack.say<Execution>('GET', `/api/executions/${new URL(page.url()).searchParams.get('run') ?? ''}`);

it('a pinned output is used by test runs in place of the node, until it is unpinned', async () => {
  const { page, complaints, workflowId } = await openRun('Pinned');
  await node(page, 'Customer').click();
  await button(page, 'Pin output').click();
  await pinOf(page, 'Customer').waitFor();
  await output(page, 'Pinned output of customer', '"Ada"').waitFor();
  await button(page, 'Edit pinned output').click();
  const dialog = page.getByRole('dialog');
  const json = dialog.getByRole('textbox', { name: 'Output' });
  await json.fill('{ "name": ');
  await dialog.getByText('Not JSON').waitFor();
  await json.fill('{ "name": "Grace" }');
  await dialog.getByRole('button', { name: 'Pin output' }).click();
  await output(page, 'Pinned output of customer', '"Grace"').waitFor();
  expect(await issuesInBothSchemes(page, 'pinned', 'desktop')).toEqual([]);

  // The pin is kept in this tab, and the dock is there without a run.
  await page.goto(`/w/${stack.workspaceId}/workflows/${workflowId}`);
  await pinOf(page, 'Customer').waitFor();
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  expect(await dialog.getByRole('combobox', { name: 'Mode' }).inputValue()).toMatch(/^Test/);
  await dialog.getByText('These do not run, their outputs are pinned: Customer').waitFor();
  await dialog.getByRole('button', { name: 'Run', exact: true }).click();
  await node(page, 'Send').getByRole('img', { name: 'Success' }).waitFor();
  await node(page, 'Letter').click();
  await output(page, 'Output of letter', '"Dear Grace"').waitFor();
  const { executionMode, data } = await shownRun(page);
  expect([executionMode, data.mockedNodeIds]).toEqual(['test', ['customer']]);

  // A run in the mode normal runs all nodes.
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await dialog.getByRole('combobox', { name: 'Mode' }).click();
  await page.getByRole('option', { name: 'Normal' }).click();
  await dialog.getByText('Pinned outputs are not used in this mode: Customer').waitFor();
  await dialog.getByRole('button', { name: 'Run', exact: true }).click();
  await output(page, 'Output of letter', '"Dear Ada"').waitFor();

  await node(page, 'Customer').click();
  await button(page, 'Unpin').click();
  await pinOf(page, 'Customer').waitFor({ state: 'detached' });
  await output(page, 'Output of customer', '"Ada"').waitFor();
  expect(complaints).toEqual([]);
});

it('a node is tested with the input of the run on the canvas, or with a pinned one', async () => {
  const { page, complaints, run } = await openRun('Tested');
  await fitView(page);
  await node(page, 'Letter').click();
  const text = form(page).locator('.cm-content').and(form(page).getByLabel('Fields: value 1'));
  await text.fill('Hello {{ $input.name }}');
  await button(page, 'Test node').click();
  await strip(page).getByText('Ran up to Letter.').waitFor();
  await output(page, 'Output of letter', '"Hello Ada"').waitFor();
  await node(page, 'Send').getByRole('img', { name: 'Skipped' }).waitFor();
  expect((await shownRun(page)).data).toMatchObject({ rerunOf: run, rerunFromNodeId: 'letter', untilNodeId: 'letter' });

  await node(page, 'Customer').click();
  await button(page, 'Pin output').click();
  await button(page, 'Edit pinned output').click();
  await page.getByRole('dialog').getByRole('textbox', { name: 'Output' }).fill('{ "name": "Grace" }');
  await page.getByRole('dialog').getByRole('button', { name: 'Pin output' }).click();
  expect(await button(page, 'Test node').count()).toBe(0);
  await node(page, 'Letter').click();
  await page.keyboard.press('Control+Shift+Enter');
  await output(page, 'Output of letter', '"Hello Grace"').waitFor();

  // The node that has the focus stays selected.
  await page.keyboard.press('Control+Enter');
  await page.getByRole('dialog', { name: 'Run workflow' }).waitFor();
  await page.keyboard.press('Escape');
  await output(page, 'Output of letter', '"Hello Grace"').waitFor();

  // A node that the run skipped, with the result of the test before.
  await node(page, 'Send').click();
  await button(page, 'Test node').click();
  await output(page, 'Output of send', '"Hello Grace"').waitFor();
  await dock(page).getByRole('tab', { name: 'Logs' }).click();
  await dock(page).getByRole('tree', { name: 'Console of send' }).getByText('sent').waitFor();
  expect(complaints).toEqual([]);
});
