import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import {
  fitView,
  issuesInBothSchemes,
  issuesOfAccess,
  openAs,
  openWindow,
  SCREENS,
  startBrowser,
  takePicture,
} from '../../harness/browser.ts';
import { fillPages, type ShownPage } from '../../harness/console-pages.ts';
import { type OwnedStack, startOwnedStack } from '../../harness/console.ts';
import { connect, node as n8nNode, START } from '../../harness/import-n8n.ts';
import { stopAll } from '../../harness/index.ts';

let stack: OwnedStack;
let browser: Browser;
let pages: readonly ShownPage[];
let ids: Readonly<Record<'orders' | 'asking', string>>;

beforeAll(async () => {
  [stack, browser] = await Promise.all([startOwnedStack(), startBrowser()]);
  ({ pages, ids } = await fillPages(stack));
});
afterAll(stopAll);

it.each(['desktop', 'phone'] as const)('every page can be used by everybody, on a %s', async (screen) => {
  const { page, complaints } = await openWindow(browser, stack.url, { screen });
  await openAs(page, stack);
  for (const { name, path, ready } of pages) {
    await page.goto(`/w/${stack.workspaceId}/${path}`);
    await page.getByText(ready).first().waitFor();
    expect(await issuesInBothSchemes(page, name, screen)).toEqual([]);
  }
  expect(complaints).toEqual([]);
});

/** Opens a page. */
const open = async (page: Page, path: string): Promise<void> => {
  await page.goto(`/w/${stack.workspaceId}/${path}`);
};
const dialog = (page: Page) => page.getByRole('dialog');
const press = (page: Page, name: string) => page.getByRole('button', { name }).first().click();

/** What is opened on a page, by the name of its picture. */
const DIALOGS: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  async 'credential-limits'(page) {
    await open(page, 'credentials');
    await press(page, 'New credential');
    await dialog(page).getByRole('checkbox', { name: 'Use a circuit breaker' }).check();
    await dialog(page).getByLabel('Open seconds').waitFor();
  },
  async 'failure-alerts'(page) {
    await open(page, 'settings');
    await press(page, 'Set up alerts');
    await dialog(page).getByLabel('From').waitFor();
  },
  async secrets(page) {
    await open(page, 'settings');
    await press(page, 'Rotate secret');
    await page.getByText(/whsec_/).waitFor();
  },
  async 'import-n8n'(page) {
    await open(page, 'workflows');
    await press(page, 'Import from n8n');
    const chooser = page.waitForEvent('filechooser');
    await dialog(page)
      .getByRole('button', { name: /^Workflow/ })
      .click();
    const workflow = {
      name: 'Orders of n8n',
      nodes: [START, n8nNode('Tell us', 'telegram', { text: 'Done' })],
      connections: connect('Start > Tell us'),
    };
    const buffer = Buffer.from(JSON.stringify(workflow));
    await (await chooser).setFiles({ name: 'orders.json', mimeType: 'application/json', buffer });
    await dialog(page).getByRole('button', { name: 'Import' }).click();
    await dialog(page).getByRole('cell', { name: 'there is no such node here' }).waitFor();
  },
  async 'create-workflow'(page) {
    await open(page, 'workflows');
    await press(page, 'New workflow');
    await dialog(page).getByLabel('Start with').fill('escalate');
    await page.getByRole('option', { name: 'Escalate a decision' }).click();
    await dialog(page).getByText('chatUrl: Announces the second question').waitFor();
  },
  async 'move-workflow'(page) {
    await open(page, 'workflows');
    await press(page, 'Actions for Orders');
    await page.getByRole('menuitem', { name: 'Move' }).click();
    await dialog(page).getByRole('combobox', { name: 'To' }).waitFor();
  },
  async 'delete-folder'(page) {
    await open(page, 'workflows');
    await press(page, 'Actions for Billing');
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await dialog(page).getByText('No workflow is deleted.').waitFor();
  },
  async search(page) {
    await open(page, 'variables');
    await page.getByRole('heading', { name: 'Variables' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('group', { name: 'Recent runs' }).getByRole('option').first().waitFor();
  },
  async shortcuts(page) {
    await open(page, 'variables');
    await page.getByRole('heading', { name: 'Variables' }).click();
    await page.keyboard.press('Shift+?');
    await dialog(page).getByText('run the workflow').waitFor();
  },
  async 'run-dialog'(page) {
    await open(page, `workflows/${ids.orders}`);
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await dialog(page).getByRole('textbox', { name: 'Input' }).waitFor();
  },
  async 'workflow-settings'(page) {
    await open(page, `workflows/${ids.orders}`);
    await page.getByRole('button', { name: 'Settings', exact: true }).click();
    await press(page, 'Add event');
    await dialog(page).getByLabel('Event 1: name').waitFor();
  },
  async pinned(page) {
    await open(page, pages.find(({ name }) => name === 'dock')?.path ?? '');
    await press(page, 'Pin output');
    await press(page, 'Edit pinned output');
    await dialog(page).getByRole('textbox', { name: 'Output' }).waitFor();
  },
  async 'navigation-collapsed'(page) {
    await open(page, 'variables');
    await press(page, 'Collapse navigation');
    const areas = page.getByRole('navigation', { name: 'Areas' });
    expect((await areas.boundingBox())!.width).toBeLessThan(56);
    await areas.getByRole('link', { name: 'Failures' }).hover();
    await page.getByRole('tooltip', { name: 'Failures' }).waitFor();
  },
};

it.each(Object.entries(DIALOGS))('what is opened can be used by everybody: %s', async (name, show) => {
  const { page, context, complaints } = await openWindow(browser, stack.url);
  await openAs(page, stack);
  await show(page);
  expect(await issuesInBothSchemes(page, name, 'desktop')).toEqual([]);
  expect(complaints).toEqual([]);
  await context.close();
});

it('on a phone, the navigation is opened by a button, and the data of a run are as wide as the screen', async () => {
  const { page, complaints } = await openWindow(browser, stack.url, { screen: 'phone' });
  await openAs(page, stack, 'variables');
  await page.getByRole('button', { name: 'Open the navigation' }).click();
  await page.getByRole('navigation', { name: 'Areas' }).getByRole('link', { name: 'Failures' }).click();
  await page.getByText('No order <number>').waitFor();
  expect(await page.getByRole('button', { name: /^(Expand|Collapse) navigation$/ }).count()).toBe(0);
  await open(page, pages.find(({ name }) => name === 'dock')?.path ?? '');
  await fitView(page);
  const box = await page.getByRole('region', { name: 'Run data' }).boundingBox();
  expect(box!.width).toBeLessThanOrEqual(SCREENS.phone.width);
  expect(complaints).toEqual([]);
});

it('adds nodes for everybody', async () => {
  const { page } = await openWindow(browser, stack.url);
  await openAs(page, stack, `workflows/${ids.asking}`);
  await page.getByRole('button', { name: 'Add node', exact: true }).click();
  await page.getByRole('option', { name: 'HTTP request' }).waitFor();
  await takePicture(page, 'node-picker');
  expect(await issuesOfAccess(page)).toEqual([]);
});
