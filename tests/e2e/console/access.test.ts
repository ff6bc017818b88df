import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { issuesOfAccess, openAs, openWindow, startBrowser } from '../../harness/browser.ts';
import { fillPages, type ShownPage } from '../../harness/console-pages.ts';
import { type OwnedStack, startOwnedStack } from '../../harness/console.ts';
import { stopAll } from '../../harness/index.ts';

let stack: OwnedStack;
let browser: Browser;
let pages: readonly ShownPage[];

beforeAll(async () => {
  // The pages of an administrator show what all of an instance share.
  [stack, browser] = await Promise.all([startOwnedStack(), startBrowser()]);
  ({ pages } = await fillPages(stack));
});
afterAll(stopAll);

it('every page has something on it, complains of nothing and can be used by everybody', async () => {
  const { page, complaints } = await openWindow(browser, stack.url);
  await openAs(page, stack);
  const issues: string[] = [];
  for (const { name, path, ready } of pages) {
    await page.goto(`/w/${stack.workspaceId}/${path}`);
    await page.getByText(ready).first().waitFor();
    issues.push(...(await issuesOfAccess(page)).map((issue) => `${name}: ${issue}`));
  }
  expect(issues).toEqual([]);
  expect(complaints).toEqual([]);
});
