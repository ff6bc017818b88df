import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Definition, Workflow } from '@deckhand/contracts';
import type { Browser, Page } from 'playwright-core';
import { issuesInBothSchemes, openWindow, signIn, startBrowser } from '../../harness/browser.js';
import { type OwnedStack, startOwnedStack } from '../../harness/console.js';
import { OWNER, stopAll, until } from '../../harness/index.js';

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

let stack: OwnedStack;
let browser: Browser;

beforeAll(async () => {
  [stack, browser] = await Promise.all([startOwnedStack(), startBrowser()]);
});
afterAll(stopAll);

const node = (page: Page, name: string) => page.locator('.react-flow__node', { hasText: name });
const form = (page: Page) => page.getByRole('region', { name: 'Node', exact: true });
/** Returns the field once its editor is loaded. */
const editor = (page: Page, label: string) => form(page).locator('.cm-content').and(form(page).getByLabel(label));

/** Saves the workflow and lets it run to its end. */
async function makeRun(): Promise<string> {
  const id = await stack.createWorkflow('Letters', ORDER);
  const run = await stack.start(id, { customer: { name: 'Ada', city: 'London' } });
  await until(
    async () => (await stack.say<{ status: string }>('GET', `/api/executions/${run}`)).status === 'success',
    10_000,
    'the run to be over',
  );
  return id;
}

async function openNode(page: Page, workflowId: string, name: string): Promise<void> {
  await page.goto(`/w/${stack.workspaceId}/workflows/${workflowId}`);
  await node(page, name).click();
}

/** Accepts the completion with this name. */
async function take(page: Page, name: string): Promise<void> {
  await page.locator('.cm-tooltip-autocomplete li[aria-selected="true"]', { hasText: name }).waitFor();
  await page.keyboard.press('Enter');
}

describe('an expression', () => {
  it('is completed by keyboard from the last run, tried out, saved and run', async () => {
    const id = await makeRun();
    const { page, complaints } = await openWindow(browser, stack.url);
    await signIn(page, OWNER);
    await openNode(page, id, 'Letter');
    const field = editor(page, 'Fields: value 1');
    await field.fill('');
    await field.press('End');
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
    expect(await field.textContent()).toMatch(
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
    const { definition } = await stack.say<Workflow>('GET', `/api/workflows/${id}`);
    expect(definition?.nodes[2]?.parameters?.fields).toEqual({
      text: expect.stringContaining('$nodes.order.output.customer.name.toUpperCase()'),
    });
    expect(complaints).toEqual([]);
  });

  it('says what is wrong with it before it is saved, and Tab leaves its field', async () => {
    const id = await makeRun();
    const { page, complaints } = await openWindow(browser, stack.url);
    await signIn(page, OWNER);
    await openNode(page, id, 'Letter');
    const field = editor(page, 'Fields: value 1');
    await field.fill('{{ $trigger.customer.street.name }}');
    await form(page).getByText('With the last run: cannot read "name" of undefined').waitFor();
    await field.fill('{{ $nobody }}');
    await until(async () => (await field.getAttribute('aria-invalid')) === 'true', 10_000, 'the issue to be marked');
    await field.press('Tab');
    expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe('Remove text');
    expect(complaints).toEqual([]);
  });
});

it('the issues of a script are marked, and Escape and Tab leave it', async () => {
  const id = await makeRun();
  const { page, complaints } = await openWindow(browser, stack.url);
  await signIn(page, OWNER);
  await openNode(page, id, 'Script');
  const field = editor(page, 'Source');
  await field.fill('const a = 1;\nreturn (a;');
  await form(page).getByText('Line 2: Unexpected token').waitFor();
  await field.locator('.cm-lintRange-error').waitFor();
  await field.press('Control+End');
  await field.press('Tab');
  expect(await page.evaluate('document.activeElement.className')).toContain('cm-content');
  await field.press('Escape');
  await field.press('Tab');
  expect(await page.evaluate('document.activeElement.className')).not.toContain('cm-content');
  await field.fill('return $input.text;');
  await until(async () => (await field.getAttribute('aria-invalid')) === 'false', 10_000, 'the issue to be gone');
  expect(complaints).toEqual([]);
});

it('the editors of code can be used by everybody', async () => {
  const id = await makeRun();
  for (const screen of ['desktop', 'phone'] as const) {
    const { page, complaints } = await openWindow(browser, stack.url, { screen });
    await signIn(page, OWNER);
    await openNode(page, id, 'Letter');
    const field = editor(page, 'Fields: value 1');
    await field.fill('{{ $trigger.customer.name }}');
    await form(page).getByText('In the last run: "Ada"').waitFor();
    await field.press('Control+End');
    await page.keyboard.type(' {{ $trigger.customer.');
    await page.locator('.cm-tooltip-autocomplete li', { hasText: 'city' }).waitFor();
    expect(await issuesInBothSchemes(page, 'expression', screen)).toEqual([]);
    await node(page, 'Script').click();
    await editor(page, 'Source').fill('// Letters go out in capitals.\nconst text = $input.text;\nreturn (text;');
    await form(page).getByText('Line 3: Unexpected token').waitFor();
    await form(page).getByText('To leave by keyboard').scrollIntoViewIfNeeded();
    expect(await issuesInBothSchemes(page, 'script', screen)).toEqual([]);
    expect(complaints).toEqual([]);
  }
});
