import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Definition } from '@deckhand/contracts';
import type { Browser, Page } from 'playwright-core';
import { fitView, issuesInBothSchemes, openWindow, openAs, startBrowser } from '../../harness/browser.ts';
import { join, type OwnedStack, shareStack } from '../../harness/console.ts';
import { stopAll, until } from '../../harness/index.ts';

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
  [stack, browser] = await Promise.all([shareStack(), startBrowser()]);
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
    'the run to be over',
  );
  return id;
}

/** Accepts the completion with this name. */
async function take(page: Page, name: string): Promise<void> {
  await page.locator('.cm-tooltip-autocomplete li[aria-selected="true"]', { hasText: name }).waitFor();
  await page.keyboard.press('Enter');
}

describe('an expression', () => {
  it('says what is wrong with it before it is saved, and Tab leaves its field', async () => {
    const id = await makeRun();
    const { page, complaints } = await openWindow(browser, stack.url);
    await openAs(page, stack, `workflows/${id}?node=letter`);
    const field = editor(page, 'Fields: value 1');
    await field.fill('{{ $trigger.customer.street.name }}');
    await form(page).getByText('With the last run: cannot read "name" of undefined').waitFor();
    await field.fill('{{ $nobody }}');
    await until(async () => (await field.getAttribute('aria-invalid')) === 'true', 'the issue to be marked');
    await field.press('Tab');
    expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe('Remove text');
    expect(complaints).toEqual([]);
  });
});

it('the issues of a script are marked, and Escape and Tab leave it', async () => {
  const id = await makeRun();
  const { page, complaints } = await openWindow(browser, stack.url);
  await openAs(page, stack, `workflows/${id}?node=script`);
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
  await until(async () => (await field.getAttribute('aria-invalid')) === 'false', 'the issue to be gone');
  expect(complaints).toEqual([]);
});

describe('a script on the full screen', () => {
  const screenOf = (page: Page) => page.getByRole('dialog', { name: 'Source' });
  const large = (page: Page) => screenOf(page).locator('.cm-content');
  const openButton = (page: Page) => form(page).getByRole('button', { name: 'Open full screen' });
  const hasFocus = (page: Page, of: string) => page.evaluate(`document.activeElement.matches(${JSON.stringify(of)})`);

  it('is completed from the last run, tested, and continued with a snippet', async () => {
    const id = await makeRun();
    const { page, complaints } = await openWindow(browser, stack.url);
    await openAs(page, stack, `workflows/${id}?node=script`);
    await editor(page, 'Source').waitFor();
    await openButton(page).press('Enter');
    await until(() => hasFocus(page, '[role="dialog"] .cm-content'), 'the editor to have the focus');
    await large(page).fill('');
    await page.keyboard.type('return $no');
    await take(page, '$nodes');
    await page.keyboard.type('.or');
    await take(page, 'order');
    await page.keyboard.type('.out');
    await take(page, 'output');
    await page.keyboard.type('.customer.');
    // The fields with their types, and no functions of expressions.
    const options = page.locator('.cm-tooltip-autocomplete li');
    const fields = async () => (await options.allTextContents()).join(' ');
    await until(async () => (await fields()) === 'citystring namestring', 'the fields of the customer');
    await page.keyboard.type('na');
    await take(page, 'name');
    await page.keyboard.type(';');

    // A run is not on the canvas: the node has the input of the last one.
    const data = screenOf(page).getByRole('region', { name: 'Run data' });
    await data.getByRole('button', { name: 'Test node' }).click();
    await data.getByRole('tree', { name: 'Output of script' }).getByText('"Ada"').waitFor();
    await large(page).fill('throw new Error("no stock");');
    await page.keyboard.press('Control+Shift+Enter');
    await data.getByText('no stock (line 1)').waitFor();

    await large(page).fill('const a = 1;');
    const snippets = screenOf(page).getByRole('button', { name: 'Insert snippet' });
    await snippets.click();
    await page.getByRole('menuitem', { name: 'Filter a list' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('menu').waitFor({ state: 'detached' });
    await snippets.click();
    await page.getByRole('menuitem', { name: 'Add the output of another node' }).click();
    await until(() => hasFocus(page, '[role="dialog"] .cm-content'), 'the editor to have the focus again');
    const text = 'const a = 1;const other = $nodes.order.output;return { ...$input, other };';
    expect(await large(page).textContent()).toBe(text);

    // Escape leaves the editor only; then Tab goes on, and Escape closes.
    await page.keyboard.press('Escape');
    await page.keyboard.press('Tab');
    await until(() => hasFocus(page, ':not(.cm-content)'), 'Tab to leave the editor');
    expect(await large(page).count()).toBe(1);
    await page.keyboard.press('Escape');
    await screenOf(page).waitFor({ state: 'detached' });
    await until(() => hasFocus(page, '[aria-haspopup="dialog"]'), 'the button to have the focus again');
    expect(await editor(page, 'Source').textContent()).toBe(text);
    // The same value: an undo is that of the workflow.
    await page.keyboard.press('Control+Z');
    await until(async () => (await editor(page, 'Source').textContent()) !== text, 'the undo');
    expect(complaints).toEqual([]);
  });

  it('offers no completion where a script has text, and keeps keys from the canvas', async () => {
    const id = await makeRun();
    const { page, complaints } = await openWindow(browser, stack.url);
    await openAs(page, stack, `workflows/${id}?node=script`);
    await editor(page, 'Source').waitFor();
    await openButton(page).click();
    await large(page).fill('');
    await page.keyboard.type('// $inp');
    await page.keyboard.press('Enter');
    await page.keyboard.type('return `Dear $inp ${$in');
    await take(page, '$input');
    expect(await large(page).textContent()).toBe('// $inpreturn `Dear $inp ${$input`');
    const close = screenOf(page).getByRole('button', { name: 'Close' });
    await close.press('Delete');
    await close.press('n');
    expect(await page.getByRole('dialog').count()).toBe(1);
    await close.press('Enter');
    await screenOf(page).waitFor({ state: 'detached' });
    await node(page, 'Script').waitFor();
    expect(complaints).toEqual([]);
  });

  it('is only read by those who may not change it', async () => {
    const id = await makeRun();
    const { page, complaints } = await openWindow(browser, stack.url);
    await openAs(page, await join(stack, 'viewer'), `workflows/${id}?node=script`);
    await openButton(page).click();
    await screenOf(page).getByText('Run the workflow to see the data of this node.').waitFor();
    expect(await large(page).getAttribute('aria-readonly')).toBe('true');
    expect(await screenOf(page).getByRole('button').allTextContents()).toEqual(['']);
    await screenOf(page).getByRole('button', { name: 'Close' }).click();
    await until(() => hasFocus(page, '[aria-haspopup="dialog"]'), 'the button to have the focus again');
    expect(complaints).toEqual([]);
  });

  it('can be used by everybody', async () => {
    const id = await makeRun();
    for (const screen of ['desktop', 'phone'] as const) {
      const { page, complaints } = await openWindow(browser, stack.url, { screen });
      await openAs(page, stack, `workflows/${id}?node=script`);
      await editor(page, 'Source').waitFor();
      await openButton(page).click();
      await large(page).fill('// Letters go out in capitals.\nconst text = $input.text;\nreturn text.toUpperCase();');
      const data = screenOf(page).getByRole('region', { name: 'Run data' });
      await data.getByRole('button', { name: 'Test node' }).click();
      await data.getByRole('tree', { name: 'Output of script' }).getByText('"DEAR CUSTOMER"').waitFor();
      expect(await issuesInBothSchemes(page, 'code-full-screen', screen)).toEqual([]);
      expect(complaints).toEqual([]);
    }
  });
});

it('the editors of code can be used by everybody', async () => {
  const id = await makeRun();
  for (const screen of ['desktop', 'phone'] as const) {
    const { page, complaints } = await openWindow(browser, stack.url, { screen });
    await openAs(page, stack, `workflows/${id}?node=letter`);
    const field = editor(page, 'Fields: value 1');
    await field.fill('{{ $trigger.customer.name }}');
    await form(page).getByText('In the last run: "Ada"').waitFor();
    await field.press('Control+End');
    await page.keyboard.type(' {{ $trigger.customer.');
    await page.locator('.cm-tooltip-autocomplete li', { hasText: 'city' }).waitFor();
    expect(await issuesInBothSchemes(page, 'expression', screen)).toEqual([]);
    await fitView(page);
    await node(page, 'Script').click();
    await editor(page, 'Source').fill('// Letters go out in capitals.\nconst text = $input.text;\nreturn (text;');
    await form(page).getByText('Line 3: Unexpected token').waitFor();
    await form(page).getByText('To leave by keyboard').scrollIntoViewIfNeeded();
    expect(await issuesInBothSchemes(page, 'script', screen)).toEqual([]);
    expect(complaints).toEqual([]);
  }
});
