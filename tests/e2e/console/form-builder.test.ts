import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Definition, Execution, ExecutionEntry, JsonValue, PageOf } from '@deckhand/contracts';
import type { Browser, Page } from 'playwright-core';
import { addNode, issuesInBothSchemes, openWindow, signIn, startBrowser } from '../../harness/browser.ts';
import { type OwnedStack, startOwnedStack } from '../../harness/console.ts';
import { OWNER, stopAll, until } from '../../harness/index.ts';

/** The number of clicks from the list of workflows to the submitted form. */
const AIM = 9;

let stack: OwnedStack;
let browser: Browser;

beforeAll(async () => {
  [stack, browser] = await Promise.all([startOwnedStack(), startBrowser()]);
});
afterAll(stopAll);

const node = (page: Page, name: string) => page.locator('.react-flow__node', { hasText: name });
const form = (page: Page) => page.getByRole('region', { name: 'Node', exact: true });
const row = (page: Page, number: number) => form(page).getByRole('group', { name: `Field ${number}`, exact: true });
const preview = (page: Page) => form(page).getByRole('region', { name: 'Preview' });
const json = (page: Page) => form(page).locator('.cm-content').and(form(page).getByLabel('Schema'));
const isDraftSaved = (page: Page) =>
  page.getByRole('status', { name: 'Saved state' }).getByText('Draft saved').waitFor();
const schemaOf = async (id: string): Promise<JsonValue | undefined> => {
  const { definition } = await stack.say<{ definition: Definition }>('GET', `/api/workflows/${id}/draft`);
  return definition.nodes.find(({ type }) => type === 'human')?.parameters?.schema;
};

async function openConsole(): Promise<Page> {
  const { page } = await openWindow(browser, stack.url);
  await signIn(page, OWNER);
  return page;
}

function asking(schema: JsonValue): Definition {
  return {
    nodes: [
      { id: 'start', type: 'trigger.manual', name: 'Start', position: { x: 0, y: 0 } },
      { id: 'ask', type: 'human', name: 'Ask', parameters: { title: 'Say', schema }, position: { x: 280, y: 0 } },
    ],
    edges: [{ source: 'start', target: 'ask' }],
  };
}

async function openNode(schema: JsonValue): Promise<{ page: Page; id: string }> {
  const id = await stack.createWorkflow('Asks', asking(schema));
  const page = await openConsole();
  await page.goto(`/w/${stack.workspaceId}/workflows/${id}`);
  await node(page, 'Ask').click();
  return { page, id };
}

async function lastRun(workflowId: string): Promise<Execution> {
  const { data } = await stack.say<PageOf<ExecutionEntry>>('GET', `/api/workflows/${workflowId}/executions?limit=1`);
  return stack.say<Execution>('GET', `/api/executions/${data[0]!.executionId}`);
}

async function outputOf(executionId: string, nodeId: string): Promise<JsonValue> {
  const path = `/api/executions/${executionId}/nodes/${nodeId}/output`;
  return (await stack.say<{ output: JsonValue }>('GET', path)).output;
}

describe('a form', () => {
  it(`is built in an empty workflow and filled in by a person in ${AIM} clicks, without any JSON`, async () => {
    const page = await openConsole();
    let clicks = 0;
    await page.exposeFunction('countClick', () => (clicks += 1));
    await page.evaluate("document.addEventListener('pointerdown', () => window.countClick(), true)");
    await page.getByRole('button', { name: 'New workflow' }).first().click();
    await page.getByRole('dialog').getByLabel('Name').fill('Refunds');
    await page.keyboard.press('Enter');
    await node(page, 'Start').click();
    const id = page.url().split('/').at(-1)!;
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
    for (const screen of ['desktop', 'phone'] as const) {
      await page.setViewportSize(screen === 'phone' ? { width: 390, height: 844 } : { width: 1280, height: 800 });
      expect(await issuesInBothSchemes(page, 'form-builder', screen)).toEqual([]);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.keyboard.press('Control+Enter');
    await page.getByRole('dialog').getByRole('textbox', { name: 'Input' }).press('Control+Enter');
    await page.getByRole('link', { name: /^Approvals/ }).click();
    // The preview in the editor has the same fields.
    await page.getByRole('heading', { name: 'Approvals and forms' }).waitFor();
    await page.getByLabel('Reason').fill('Broken');
    await page.getByLabel('Amount in EUR').fill('12.5');
    expect(await issuesInBothSchemes(page, 'form', 'desktop')).toEqual([]);
    await page.getByRole('button', { name: 'Submit' }).press('Enter');
    await page.getByText('No pending approvals').waitFor();
    await until(async () => (await lastRun(id)).status === 'success');
    expect(await outputOf((await lastRun(id)).id, 'human')).toEqual({ reason: 'Broken', amountInEur: 12.5 });
    expect(clicks).toBeLessThanOrEqual(AIM);
  });
});
