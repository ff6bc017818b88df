import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { InstanceSettings, Workflow, WorkspaceLimits } from '@deckhand/contracts';
import type { Browser, Page } from 'playwright-core';
import {
  issuesInBothSchemes,
  issuesOfAccess,
  openAsMember,
  openWindow,
  signIn,
  startBrowser,
  takePicture,
} from '../../harness/browser.ts';
import { type OwnedStack, startOwnedStack } from '../../harness/console.ts';
import { OWNER, stopAll, until } from '../../harness/index.ts';

let stack: OwnedStack;
let browser: Browser;

beforeAll(async () => {
  [stack, browser] = await Promise.all([startOwnedStack(), startBrowser()]);
});
afterAll(stopAll);

const limits = () => stack.say<WorkspaceLimits>('GET', `/api/admin/workspaces/${stack.workspaceId}/limits`);
const settings = () => stack.say<InstanceSettings>('GET', '/api/admin/settings');

async function openAdministration(page: Page): Promise<void> {
  await signIn(page, OWNER);
  await page.getByRole('navigation', { name: 'Areas' }).getByRole('link', { name: 'Administration' }).click();
  await page.getByLabel('Max concurrent runs').waitFor();
}

it('the administration can be used by everybody', async () => {
  await stack.say('PUT', `/api/admin/workspaces/${stack.workspaceId}/limits`, {
    executionsPerMinute: 600,
    maxConcurrentExecutions: 20,
    storageQuotaBytes: 1_048_576,
  });
  for (const screen of ['desktop', 'phone'] as const) {
    const { page, complaints } = await openWindow(browser, stack.url, { screen });
    await signIn(page, OWNER);
    await page.goto(`/w/${stack.workspaceId}/administration`);
    await page.getByText('of 1.0 MiB used').waitFor();
    await page.getByLabel('Keep runs (days)').waitFor();
    expect(await issuesInBothSchemes(page, 'administration', screen)).toEqual([]);
    expect(complaints).toEqual([]);
  }
});
