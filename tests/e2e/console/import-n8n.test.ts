import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { issuesInBothSchemes, openWindow, signIn, startBrowser } from '../../harness/browser.ts';
import { type OwnedStack, startOwnedStack } from '../../harness/console.ts';
import { connect, node, START } from '../../harness/import-n8n.ts';
import { OWNER, stopAll } from '../../harness/index.ts';

let stack: OwnedStack;
let browser: Browser;

beforeAll(async () => {
  [stack, browser] = await Promise.all([startOwnedStack(), startBrowser()]);
});
afterAll(stopAll);

const ORDERS = {
  name: 'Orders of n8n',
  nodes: [START, node('Tell us', 'slack', { text: 'Done' })],
  connections: connect('Start > Tell us'),
  settings: { executionOrder: 'v1' },
};

it('imports a workflow of n8n from a file, says what became of its nodes, and opens it', async () => {
  const { page, complaints } = await openWindow(browser, stack.url);
  await signIn(page, OWNER);
  await page.getByRole('button', { name: 'Import from n8n' }).click();
  const dialog = page.getByRole('dialog');
  const choose = async (name: string, text: string): Promise<void> => {
    const chooser = page.waitForEvent('filechooser');
    await dialog.getByRole('button', { name: /^Workflow/ }).click();
    await (await chooser).setFiles({ name, mimeType: 'application/json', buffer: Buffer.from(text) });
    await dialog.getByRole('button', { name: 'Import' }).click();
  };
  await choose('broken.json', '{"nodes":');
  await dialog.getByText('The file has no JSON object').waitFor();
  await choose('orders.json', JSON.stringify(ORDERS));
  await dialog.getByText('1 converted, 0 to review, 1 manual.').waitFor();
  await dialog.getByRole('cell', { name: 'there is no such node here' }).waitFor();
  expect(await issuesInBothSchemes(page, 'import-n8n', 'desktop')).toEqual([]);
  await dialog.getByRole('button', { name: 'Open the workflow' }).click();
  await page.locator('.react-flow__node').filter({ hasText: 'Tell us' }).waitFor();
  expect(await page.title()).toContain('Orders of n8n');
  expect(complaints).toEqual([]);
});
