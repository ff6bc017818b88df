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
