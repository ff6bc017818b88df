import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { issuesOfAccess, openWindow, signIn, startBrowser, takePicture } from '../../harness/browser.ts';
import { type OwnedStack, startOwnedStack } from '../../harness/console.ts';
import { OWNER, stopAll } from '../../harness/index.ts';

let stack: OwnedStack;
let browser: Browser;
let workflowId: string;

beforeAll(async () => {
  [stack, browser] = await Promise.all([startOwnedStack(), startBrowser()]);
  workflowId = await stack.createWorkflow('Reminder', { nodes: [{ id: 'start', type: 'trigger.manual' }], edges: [] });
});
afterAll(stopAll);

const areas = (page: Page) => page.getByRole('navigation', { name: 'Areas' });
const widthOfAreas = async (page: Page) => (await areas(page).boundingBox())?.width ?? 0;

describe('the navigation', () => {
  it('collapses to icons with tooltips, also after a reload, and not on a phone', async () => {
    const { page, context, complaints } = await openWindow(browser, stack.url);
    await signIn(page, OWNER);
    await page.getByRole('button', { name: 'Collapse navigation' }).press('Enter');
    await page.reload();
    await page.getByRole('button', { name: 'Expand navigation' }).waitFor();
    expect(await widthOfAreas(page)).toBeLessThan(56);
    const link = areas(page).getByRole('link', { name: 'Failures' });
    await link.hover();
    await page.getByRole('tooltip', { name: 'Failures' }).waitFor();
    expect(await issuesOfAccess(page)).toEqual([]);
    await takePicture(page, 'navigation-collapsed');
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole('button', { name: 'Open the navigation' }).click();
    await link.getByText('Failures').waitFor();
    expect(await page.getByRole('button', { name: /^(Expand|Collapse) navigation$/ }).count()).toBe(0);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('leads from a workflow to its executions, to one of them, and back', async () => {
    const { page, complaints } = await openWindow(browser, stack.url);
    const other = await stack.createWorkflow('Other', { nodes: [{ id: 'start', type: 'trigger.manual' }], edges: [] });
    const [executionId] = await Promise.all([stack.start(workflowId), stack.start(other)]);
    await signIn(page, OWNER);
    await page.goto(`/w/${stack.workspaceId}/workflows/${workflowId}`);
    const tabs = page.getByRole('navigation', { name: 'Workflow' });
    await tabs.getByRole('link', { name: 'Executions' }).click();
    await page.getByRole('heading', { name: 'Reminder' }).waitFor();
    const rows = page.getByRole('table', { name: 'Runs' }).getByRole('link');
    await rows.first().waitFor();
    expect(await rows.allTextContents()).toEqual([executionId]);
    expect(await tabs.locator('[aria-current=page]').allTextContents()).toEqual(['Executions']);
    await rows.first().click();
    const path = page.getByRole('navigation', { name: 'Breadcrumb' });
    await path.getByRole('link', { name: 'Reminder' }).waitFor();
    await page.waitForURL(`**/runs/${executionId}`);
    await path.getByRole('link', { name: 'Executions' }).click();
    await tabs.getByRole('link', { name: 'Editor' }).click();
    await page.getByRole('region', { name: 'Graph' }).waitFor();
    await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Workflows' }).click();
    await page.waitForURL('**/workflows');
    expect(complaints).toEqual([]);
  });
});
