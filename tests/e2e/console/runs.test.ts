import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Definition } from '@deckhand/contracts';
import { createTester } from '@deckhand/testing';
import type { Browser, Page } from 'playwright-core';
import { parse } from 'yaml';
import { issuesInBothSchemes, openWindow, signIn, startBrowser } from '../../harness/browser.ts';
import { type OwnedStack, startOwnedStack } from '../../harness/console.ts';
import { OWNER, stopAll, until } from '../../harness/index.ts';

/** Text that would run code if it were treated as markup. */
const HOSTILE = '<img src=x onerror="document.title=`owned`"><script>document.title=`owned`</script>';

const ORDERS: Definition = {
  nodes: [
    { id: 'start', type: 'trigger.manual', name: 'Order arrives' },
    { id: 'price', type: 'set', name: 'Add the price', parameters: { fields: { total: '{{ $trigger.count * 3 }}' } } },
    { id: 'large', type: 'if', name: 'Is it large?', parameters: { condition: '{{ $input.total > 100 }}' } },
    { id: 'ask', type: 'approval', name: 'Ask the manager', parameters: { message: 'Ship it?' } },
    { id: 'ship', type: 'set', name: 'Ship', parameters: { fields: { shipped: true, note: HOSTILE } } },
    { id: 'refuse', type: 'fail', name: 'Refuse', parameters: { message: 'the manager refused' } },
    { id: 'end', type: 'terminal', name: 'Answer', parameters: { body: { note: HOSTILE } } },
  ],
  edges: [
    { source: 'start', target: 'price' },
    { source: 'price', target: 'large' },
    { source: 'large', sourceHandle: 'true', target: 'ask' },
    { source: 'large', sourceHandle: 'false', target: 'ship' },
    { source: 'ask', sourceHandle: 'approved', target: 'ship' },
    { source: 'ask', sourceHandle: 'rejected', target: 'refuse' },
    { source: 'ship', target: 'end' },
  ],
};

let stack: OwnedStack;
let browser: Browser;
let orders: string;

beforeAll(async () => {
  [stack, browser] = await Promise.all([startOwnedStack(), startBrowser()]);
  orders = await stack.createWorkflow('Orders', ORDERS);
  const failing = await stack.createWorkflow('Failing', {
    nodes: [
      { id: 'start', type: 'trigger.manual' },
      { id: 'fail', type: 'fail', parameters: { message: 'no ship today' } },
    ],
    edges: [{ source: 'start', target: 'fail' }],
  });
  await stack.start(failing);
  await stack.createWorkflow(HOSTILE, { nodes: [{ id: 'start', type: 'trigger.manual' }], edges: [] });
});
afterAll(stopAll);

const statusOf = (page: Page, name: string) => page.locator('.react-flow__node', { hasText: name }).getByRole('img');

describe('a run', () => {
  it('is followed live on its graph, until a person has decided', async () => {
    const { page, complaints } = await openWindow(browser, stack.url);
    await signIn(page, OWNER);
    const id = await stack.start(orders, { count: 50 });
    await page.goto(`/w/${stack.workspaceId}/runs/${id}`);
    await page.getByText('Waiting for approval').waitFor();
    await expectStatus(page, 'Ask the manager', 'Waiting');
    await expectStatus(page, 'Is it large?', 'Success');
    await stack.say('POST', '/api/approvals/submit', {
      executionId: id,
      nodeId: 'ask',
      approved: true,
      comment: HOSTILE,
    });
    await expectStatus(page, 'Answer', 'Success');
    await expectStatus(page, 'Refuse', 'Skipped');
    await page.getByText(HOSTILE).first().waitFor();
    expect(await page.title()).toBe('Orders · Deckhand');
    await page.getByRole('button', { name: /^Add the price/ }).click();
    await page.getByRole('tree', { name: 'Output of price' }).getByText('150').waitFor();
    await page.getByRole('tab', { name: 'Input' }).click();
    await page.getByRole('region', { name: 'From Order arrives' }).getByText('count').waitFor();
    await page.locator('.react-flow__node', { hasText: 'Order arrives' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('tab', { name: 'Output' }).click();
    await page.getByRole('tree', { name: 'Output of start' }).getByText('50').waitFor();
    expect(complaints).toEqual([]);
  });
});

describe('the list of runs', () => {
  it('shows what begins and changes by itself, and narrows by every filter', async () => {
    const { page, complaints } = await openWindow(browser, stack.url);
    await signIn(page, OWNER);
    await page.getByRole('link', { name: 'Runs', exact: true }).click();
    const id = await stack.start(orders, { count: 1, customer: 'Zebra Ltd' });
    const table = page.getByRole('table', { name: 'Runs' });
    await table.locator(`a[href$="${id}"]`).waitFor();
    await page.getByRole('textbox', { name: 'Search' }).fill('zebra');
    await page.waitForURL('**search=zebra**');
    await table.locator(`a[href$="${id}"]`).waitFor();
    await until(async () => (await table.locator('tbody a').count()) === 1);
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByLabel('Error contains').fill('SHIP TODAY');
    await table.getByText('no ship today').first().waitFor();
    await page.getByRole('combobox', { name: 'Status' }).click();
    await page.getByRole('option', { name: 'Success' }).click();
    await page.getByText('No matching runs').waitFor();
    await page.getByRole('option', { name: 'Failed' }).click();
    await table.getByText('no ship today').first().waitFor();
    await page.getByRole('combobox', { name: 'Trigger' }).click();
    await page.getByRole('option', { name: 'Webhook' }).click();
    await page.getByText('No matching runs').waitFor();
    await page.getByRole('option', { name: 'Editor' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'More filters' }).click();
    await page.getByLabel('Longer than (seconds)').fill('3600');
    await page.waitForURL('**within=7d**');
    await page.getByText('No matching runs').waitFor();
    await page.getByLabel('Longer than (seconds)').fill('0');
    await table.getByText('no ship today').first().waitFor();
    // The URL has all filters.
    await page.reload();
    await table.getByText('no ship today').first().waitFor();
    expect(await page.getByLabel('Longer than (seconds)').inputValue()).toBe('0');
    expect(new URL(page.url()).searchParams.get('status')).toBe('success,failed');
    await page.getByRole('combobox', { name: 'Tags' }).fill('none');
    await page.keyboard.press('Enter');
    await page.getByText('No matching runs').waitFor();
    expect(complaints).toEqual([]);
  });

  it('stays as it is while runs are selected, and shows new ones on request', async () => {
    const { page } = await openWindow(browser, stack.url);
    await signIn(page, OWNER);
    await page.goto(`/w/${stack.workspaceId}/runs?workflowId=${orders}`);
    const table = page.getByRole('table', { name: 'Runs' });
    await table.getByRole('checkbox').first().check();
    const id = await stack.start(orders, { count: 1 });
    await page.getByRole('button', { name: '1 new run' }).click();
    await table.locator(`a[href$="${id}"]`).waitFor();
    await page.getByRole('button', { name: '1 selected' }).waitFor();
    await page.getByLabel('Live').press('Space');
    await table.getByRole('checkbox', { checked: true }).uncheck();
    const next = await stack.start(orders, { count: 1 });
    await page.getByRole('button', { name: 'Refresh' }).click();
    await table.locator(`a[href$="${next}"]`).waitFor();
  });

  it('leads to the comparison of two runs, which shows what differs', async () => {
    const { page, complaints } = await openWindow(browser, stack.url);
    await signIn(page, OWNER);
    const [less, more] = [await stack.start(orders, { count: 2 }), await stack.start(orders, { count: 3 })];
    await page.goto(`/w/${stack.workspaceId}/runs?workflowId=${orders}`);
    const table = page.getByRole('table', { name: 'Runs' });
    for (const id of [more, less]) {
      await table
        .getByRole('row')
        .filter({ has: page.locator(`a[href$="${id}"]`) })
        .getByRole('checkbox')
        .check();
    }
    await page.getByRole('link', { name: 'Compare', exact: true }).click();
    await page.waitForURL(`**left=${less}&right=${more}**`);
    await page.getByRole('status').getByText('3 nodes differ').waitFor();
    const nodes = page.getByRole('table', { name: 'Nodes' });
    await nodes
      .getByRole('row', { name: /^Add the price/ })
      .getByText('Changed')
      .waitFor();
    await nodes.getByRole('button', { name: 'Add the price' }).click();
    const output = page.getByRole('region', { name: 'Output' });
    await output.getByRole('group', { name: 'First run' }).getByText('6').waitFor();
    await output.getByRole('group', { name: 'Second run' }).getByText('9').waitFor();
    await page.getByRole('region', { name: 'First run' }).getByRole('link', { name: 'First run' }).click();
    await page.getByRole('button', { name: 'Compare with…' }).click();
    await page.getByRole('list', { name: 'Other runs' }).locator(`a[href*="right=${more}"]`).click();
    await page.getByRole('status').getByText('3 nodes differ').waitFor();
    expect(complaints).toEqual([]);
  });

  it('is saved as a file', async () => {
    const { page } = await openWindow(browser, stack.url);
    await signIn(page, OWNER);
    await page.getByRole('link', { name: 'Runs', exact: true }).click();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('menuitem', { name: 'As CSV' }).click();
    expect((await download).suggestedFilename()).toBe('runs.csv');
  });
});

it('every page can be used by everybody', async () => {
  const [finished, other] = [await stack.start(orders, { count: 1 }), await stack.start(orders, { count: 50 })];
  for (const screen of ['desktop', 'phone'] as const) {
    const { page, complaints } = await openWindow(browser, stack.url, { screen });
    await signIn(page, OWNER);
    for (const [name, path, ready] of [
      ['runs', 'runs', 'Success'],
      ['run', `runs/${finished}?node=ship`, 'shipped'],
      ['run comparison', `runs/compare?left=${finished}&right=${other}&node=price`, 'Output'],
    ] as const) {
      await page.goto(`/w/${stack.workspaceId}/${path}`);
      await page.getByText(ready).first().waitFor();
      expect(await issuesInBothSchemes(page, name, screen)).toEqual([]);
    }
    expect(complaints).toEqual([]);
  }
});

async function expectStatus(page: Page, node: string, status: string): Promise<void> {
  await statusOf(page, node).and(page.getByLabel(status)).waitFor();
}
