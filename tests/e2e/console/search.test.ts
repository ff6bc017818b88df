import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { issuesOfAccess, openWindow, signIn, startBrowser, takePicture } from '../../harness/browser.ts';
import { type OwnedStack, startOwnedStack } from '../../harness/console.ts';
import { OWNER, stopAll } from '../../harness/index.ts';

let stack: OwnedStack;
let browser: Browser;
let workflowId: string;
let executionId: string;

beforeAll(async () => {
  [stack, browser] = await Promise.all([startOwnedStack(), startBrowser()]);
  workflowId = await stack.createWorkflow('Weekly parcels', {
    nodes: [{ id: 'start', type: 'trigger.manual' }],
    edges: [],
  });
  await stack.createWorkflow('Other', { nodes: [{ id: 'start', type: 'trigger.manual' }], edges: [] });
  executionId = await stack.start(workflowId);
});
afterAll(stopAll);

const search = (page: Page) => page.getByRole('dialog', { name: 'Search' });
const field = (page: Page) => search(page).getByRole('combobox', { name: 'Search everything' });
const found = (page: Page, group: string) => search(page).getByRole('group', { name: group }).getByRole('option');

describe('the search', () => {
  it('leads by keyboard to a page, a workflow and a run, also from a field', async () => {
    const { page, complaints } = await openWindow(browser, stack.url);
    await signIn(page, OWNER);
    await page.getByRole('link', { name: 'Weekly parcels', exact: true }).waitFor();
    await page.keyboard.press('Control+k');
    await found(page, 'Pages').first().waitFor();
    await found(page, 'Recent runs').getByText(executionId).waitFor();
    expect(await issuesOfAccess(page)).toEqual([]);
    await takePicture(page, 'search');
    await field(page).fill('failur');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/failures');

    await page.keyboard.press('Control+k');
    await field(page).fill('PARCEL');
    await found(page, 'Workflows').getByText('Weekly parcels').waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/workflows/${workflowId}`);

    await page.locator('.react-flow__node', { hasText: 'start' }).click();
    await page.getByRole('region', { name: 'Node', exact: true }).getByLabel('Name').press('Control+k');
    await field(page).fill(executionId);
    await found(page, 'Run').getByText('Run of Weekly parcels').waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/runs/${executionId}`);

    await page.keyboard.press('Control+k');
    await field(page).fill('zebra');
    await search(page).getByText('Nothing is found in this workspace.').waitFor();
    await page.keyboard.press('Escape');
    await search(page).waitFor({ state: 'hidden' });
    expect(complaints).toEqual([]);
  });

  it('creates a workflow from any page', async () => {
    const { page } = await openWindow(browser, stack.url);
    await signIn(page, OWNER);
    await page.goto(`/w/${stack.workspaceId}/variables`);
    await page.getByRole('button', { name: 'Search' }).click();
    await field(page).fill('new work');
    await found(page, 'Actions').getByText('New workflow').click();
    await page.getByRole('dialog', { name: 'New workflow' }).getByLabel('Name').fill('From variables');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'From variables' }).waitFor();
  });
});

describe('the shortcuts', () => {
  it('are listed by ?, except while a question mark is typed', async () => {
    const { page, complaints } = await openWindow(browser, stack.url);
    await signIn(page, OWNER);
    await page.goto(`/w/${stack.workspaceId}/runs`);
    const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await page.getByRole('textbox', { name: 'Search' }).pressSequentially('a?');
    expect(await page.getByRole('textbox', { name: 'Search' }).inputValue()).toBe('a?');
    expect(await dialog.count()).toBe(0);
    await page.getByRole('heading', { name: 'Runs' }).click();
    await page.keyboard.press('Shift+?');
    await dialog.getByText('run the workflow').waitFor();
    expect(await issuesOfAccess(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });
});
