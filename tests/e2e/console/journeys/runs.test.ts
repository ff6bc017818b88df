import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Definition, Execution } from '@deckhand/contracts';
import type { Browser, Page } from 'playwright-core';
import { openWindow, openAs, startBrowser } from '../../../harness/browser.ts';
import { type OwnedStack, shareStack } from '../../../harness/console.ts';
import { stopAll } from '../../../harness/index.ts';

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
let shipping: string;

beforeAll(async () => {
  [stack, browser] = await Promise.all([shareStack(), startBrowser()]);
  orders = await stack.createWorkflow('Orders', ORDERS);
  shipping = await stack.createWorkflow('Shipping', {
    nodes: [
      { id: 'start', type: 'trigger.manual' },
      { id: 'ask', type: 'approval', parameters: { message: 'Ship {{ $trigger.sku }}?' } },
      {
        id: 'form',
        type: 'human',
        parameters: {
          title: 'Which carrier?',
          schema: { type: 'object', properties: { carrier: { type: 'string' } }, required: ['carrier'] },
        },
      },
    ],
    edges: [
      { source: 'start', target: 'ask' },
      { source: 'ask', sourceHandle: 'approved', target: 'form' },
    ],
  });
});
afterAll(stopAll);

const statusOf = (page: Page, name: string) => page.locator('.react-flow__node', { hasText: name }).getByRole('img');

describe('a run', () => {
  it('is followed live on its graph, until a person has decided', async () => {
    const { page, complaints } = await openWindow(browser, stack.url);
    const id = await stack.start(orders, { count: 50 });
    await openAs(page, stack, `runs/${id}`);
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

describe('an approval', () => {
  it('waits in the inbox, is decided with a comment, and the form after it is filled in', async () => {
    const { page, complaints } = await openWindow(browser, stack.url);
    await openAs(page, stack, 'approvals');
    await page.getByText('No pending approvals').waitFor();
    const id = await stack.start(shipping, { sku: 'A-17' });
    const entry = page.getByRole('listitem').filter({ hasText: 'Ship A-17?' });
    await entry.getByLabel('Comment').fill('before noon');
    await entry.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('No pending approvals').waitFor();
    await page.goto(`/w/${stack.workspaceId}/runs/${id}?node=form`);
    await page.getByRole('textbox', { name: 'Carrier' }).fill('Pigeon');
    await page.getByRole('button', { name: 'Submit' }).click();
    await page.getByRole('tree', { name: 'Output of form' }).getByText('"Pigeon"').waitFor();
    const run = await stack.say<Execution>('GET', `/api/executions/${id}`);
    expect(run).toMatchObject({
      status: 'success',
      data: { approvals: [{ decision: 'approved', comment: 'before noon' }] },
    });
    expect(complaints).toEqual([]);
  });
});

async function expectStatus(page: Page, node: string, status: string): Promise<void> {
  await statusOf(page, node).and(page.getByLabel(status)).waitFor();
}
