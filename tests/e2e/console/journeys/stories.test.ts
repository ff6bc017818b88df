import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Definition, Execution, ExecutionEntry, JsonValue, PageOf, Workflow } from '@deckhand/contracts';
import type { Browser, Page } from 'playwright-core';
import { addNode, openWindow, openAs, startBrowser } from '../../../harness/browser.ts';
import { type OwnedStack, shareStack } from '../../../harness/console.ts';
import { stopAll, until } from '../../../harness/index.ts';

/** The number of clicks that each story may take, from the list of workflows on. */
const AIMS = { webhook: 8, loop: 5, approval: 7, form: 9 };

let stack: OwnedStack;
let browser: Browser;

beforeAll(async () => {
  [stack, browser] = await Promise.all([shareStack(), startBrowser()]);
});
afterAll(stopAll);

const node = (page: Page, name: string) => page.locator('.react-flow__node', { hasText: name });
const form = (page: Page) => page.getByRole('region', { name: 'Node', exact: true });
const row = (page: Page, number: number) => form(page).getByRole('group', { name: `Field ${number}`, exact: true });
const preview = (page: Page) => form(page).getByRole('region', { name: 'Preview' });

/** The list of workflows, and a count of the clicks since. */
async function openList(): Promise<{ page: Page; clicks: () => number }> {
  const { page } = await openWindow(browser, stack.url);
  await openAs(page, stack);
  let clicks = 0;
  await page.exposeFunction('countClick', () => (clicks += 1));
  const count = "document.addEventListener('pointerdown', () => window.countClick(), true)";
  await page.addInitScript(count);
  await page.evaluate(count);
  return { page, clicks: () => clicks };
}

/** Creates a workflow with one click. @returns its id. */
async function create(page: Page, name: string): Promise<string> {
  await page.getByRole('button', { name: 'New workflow' }).first().click();
  await page.getByRole('dialog').getByLabel('Name').fill(name);
  await page.keyboard.press('Enter');
  await node(page, 'Start').waitFor();
  return page.url().split('/').at(-1)!;
}

/** Adds a node with one click. */
async function add(page: Page, title: string): Promise<void> {
  await addNode(page, title);
  await form(page).getByRole('heading', { name: title, exact: true }).waitFor();
}

/** Types into a field with expressions, with one click. */
async function type(page: Page, label: string, text: string): Promise<void> {
  const field = form(page).locator('.cm-content').and(form(page).getByLabel(label));
  await field.click();
  await field.fill(text);
}

/** Runs the workflow with the keyboard. */
async function run(page: Page): Promise<void> {
  await page.keyboard.press('Control+Enter');
  await page.getByRole('dialog').getByRole('textbox', { name: 'Input' }).press('Control+Enter');
}

async function definitionOf(workflowId: string): Promise<Definition> {
  const { definition } = await stack.say<Workflow>('GET', `/api/workflows/${workflowId}`);
  return definition!;
}

async function outputOf(executionId: string, nodeId: string): Promise<JsonValue> {
  const path = `/api/executions/${executionId}/nodes/${nodeId}/output`;
  return (await stack.say<{ output: JsonValue }>('GET', path)).output;
}

async function lastRun(workflowId: string): Promise<Execution> {
  const { data } = await stack.say<PageOf<ExecutionEntry>>('GET', `/api/workflows/${workflowId}/executions?limit=1`);
  return stack.say<Execution>('GET', `/api/executions/${data[0]!.executionId}`);
}

describe('a newcomer', () => {
  it(`gets a first successful run from a webhook in ${AIMS.webhook} clicks`, async () => {
    const { page, clicks } = await openList();
    const id = await create(page, 'Orders');
    await add(page, 'Webhook');
    await add(page, 'Edit fields');
    await node(page, 'Webhook').click();
    await page.getByRole('button', { name: 'Listen for test event' }).click();
    const shown = await form(page)
      .getByText(/webhook-test/)
      .textContent();
    const post = async (url: string) => {
      const headers = { 'content-type': 'application/json' };
      return (await fetch(stack.url + new URL(url).pathname, { method: 'POST', headers, body: '{"sku":"A-17"}' }))
        .status;
    };
    expect(await post(shown!.slice('POST '.length))).toBe(200);
    await node(page, 'Edit fields').getByRole('img', { name: 'Success' }).waitFor();
    await page.getByRole('switch', { name: 'Active' }).click();
    await page.getByText('The workflow is active.', { exact: true }).waitFor();
    const { webhooks } = await stack.say<Workflow>('GET', `/api/workflows/${id}`);
    expect(await post(webhooks[0]!.url)).toBe(200);
    // The webhook is instead of the trigger that the workflow began with.
    expect((await definitionOf(id)).nodes.map(({ type }) => type)).toEqual(['trigger.webhook', 'set']);
    await until(async () => (await lastRun(id)).status === 'success');
    expect(clicks()).toBeLessThanOrEqual(AIMS.webhook);
  });

  it(`runs nodes per item of a list in ${AIMS.loop} clicks`, async () => {
    const { page, clicks } = await openList();
    const id = await create(page, 'Each');
    await add(page, 'Loop');
    await type(page, 'Items', '[1, 2, 3]');
    await add(page, 'Edit fields');
    await run(page);
    await node(page, 'Loop').getByRole('img', { name: 'Success' }).waitFor();
    expect((await lastRun(id)).progress.set?.iterations).toBe(3);
    expect(clicks()).toBeLessThanOrEqual(AIMS.loop);
  });

  it(`has a person approve, and another fill in a form, in ${AIMS.approval} clicks`, async () => {
    const { page, clicks } = await openList();
    const id = await create(page, 'Refunds');
    await add(page, 'Approval');
    await type(page, 'Message', 'Refund the order?');
    await add(page, 'Human task');
    await type(page, 'Title', 'Why was it refunded?');
    await form(page).getByRole('button', { name: 'Add field' }).press('Enter');
    await page.keyboard.type('Reason');
    await run(page);
    await page.getByRole('link', { name: /^Approvals/ }).click();
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByLabel('Reason').fill('Broken');
    await page.getByRole('button', { name: 'Submit' }).press('Enter');
    await page.getByText('No pending approvals').waitFor();
    await until(async () => (await lastRun(id)).status === 'success');
    expect(clicks()).toBeLessThanOrEqual(AIMS.approval);
  });

  it(`builds a form in an empty workflow, which a person fills in, in ${AIMS.form} clicks and without any JSON`, async () => {
    const { page, clicks } = await openList();
    const id = await create(page, 'Refunds');
    await node(page, 'Start').click();
    await addNode(page, 'Human task');
    const title = form(page).locator('.cm-content').and(form(page).getByLabel('Title'));
    await title.click();
    await title.fill('Why was it refunded?');
    const add = form(page).getByRole('button', { name: 'Add field' });
    await add.click();
    await page.keyboard.type('Reason');
    await row(page, 1).getByLabel('Required').click();
    await add.click();
    await page.keyboard.type('Amount in EUR');
    await row(page, 2).getByLabel('Type').selectOption('Number');
    await preview(page).getByLabel('Amount in EUR').waitFor();
    await page.keyboard.press('Control+Enter');
    await page.getByRole('dialog').getByRole('textbox', { name: 'Input' }).press('Control+Enter');
    await page.getByRole('link', { name: /^Approvals/ }).click();
    // The preview in the editor has the same fields.
    await page.getByRole('heading', { name: 'Approvals and forms' }).waitFor();
    await page.getByLabel('Reason').fill('Broken');
    await page.getByLabel('Amount in EUR').fill('12.5');
    await page.getByRole('button', { name: 'Submit' }).press('Enter');
    await page.getByText('No pending approvals').waitFor();
    await until(async () => (await lastRun(id)).status === 'success');
    expect(await outputOf((await lastRun(id)).id, 'human')).toEqual({ reason: 'Broken', amountInEur: 12.5 });
    expect(clicks()).toBeLessThanOrEqual(AIMS.form);
  });
});
