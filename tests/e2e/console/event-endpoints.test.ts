import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { EventEndpoint, ExecuteResponse, PageOf } from '@deckhand/contracts';
import type { Browser, Page } from 'playwright-core';
import { issuesInBothSchemes, openWindow, signIn, startBrowser } from '../../harness/browser.ts';
import { type OwnedStack, startOwnedStack } from '../../harness/console.ts';
import { type EventReceiver, OWNER, startEventReceiver, stopAll, until } from '../../harness/index.ts';

let stack: OwnedStack;
let browser: Browser;
let receiver: EventReceiver;
let status = 204;

beforeAll(async () => {
  receiver = await startEventReceiver(() => ({ status }));
  [stack, browser] = await Promise.all([startOwnedStack(), startBrowser()]);
});
afterAll(stopAll);

const go = (page: Page, area: string) =>
  page.getByRole('navigation', { name: 'Areas' }).getByRole('link', { name: area, exact: true }).click();

it('every page can be used by everybody', async () => {
  const { data } = await stack.say<PageOf<EventEndpoint>>(
    'GET',
    `/api/event-endpoints?workspaceId=${stack.workspaceId}`,
  );
  for (const screen of ['desktop', 'phone'] as const) {
    const { page, complaints } = await openWindow(browser, stack.url, { screen });
    await signIn(page, OWNER);
    for (const [name, path, ready] of [
      ['event-endpoints', 'event-endpoints', 'run.failed'],
      ['event-endpoint', `event-endpoints/${data[0]?.id}`, 'endpoint.test'],
    ] as const) {
      await page.goto(`/w/${stack.workspaceId}/${path}`);
      await page.getByText(ready).first().waitFor();
      expect(await issuesInBothSchemes(page, name, screen)).toEqual([]);
    }
    expect(complaints).toEqual([]);
  }
});
