import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { EventEndpoint, PageOf } from '@deckhand/contracts';
import type { Browser, Page } from 'playwright-core';
import { issuesInBothSchemes, openWindow, signIn, startBrowser } from '../../harness/browser.js';
import { type OwnedStack, startOwnedStack } from '../../harness/console.js';
import { type EventReceiver, OWNER, startEventReceiver, stopAll } from '../../harness/index.js';

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
  page.getByRole('navigation').getByRole('link', { name: area, exact: true }).click();

it('an event endpoint is created with its events, tried, replayed, rotated, and enabled after a 410', async () => {
  const { page, complaints } = await openWindow(browser, stack.url);
  await signIn(page, OWNER);
  await go(page, 'Event endpoints');
  await page.getByRole('button', { name: 'New event endpoint' }).first().click();
  await page.getByLabel('URL').fill(receiver.url);
  await page.getByRole('combobox', { name: 'Events' }).click();
  await page.getByRole('option', { name: 'run.failed' }).click();
  await page.keyboard.press('Tab');
  await page.getByRole('button', { name: 'Create endpoint' }).click();
  const secret = await page.getByLabel('Signing secret', { exact: true }).textContent();
  expect(secret).toMatch(/^whsec_/);
  await page.getByRole('button', { name: 'I have copied it' }).click();
  expect(await page.content()).not.toContain(secret);
  const row = page.getByRole('table', { name: 'Event endpoints' }).getByRole('row').filter({ hasText: receiver.url });
  await row.getByText('run.failed').waitFor();
  await row.getByText('Enabled').waitFor();
  await row.getByRole('link').click();

  await page.getByRole('button', { name: 'Send test event' }).click();
  const delivery = page
    .getByRole('table', { name: 'Deliveries' })
    .getByRole('row')
    .filter({ hasText: 'endpoint.test' });
  await delivery.getByText('Delivered').waitFor();
  await delivery.getByText(/^1 · 204 in/).click();
  await page.getByRole('button', { name: 'Rotate secret' }).click();
  const next = await page.getByLabel('Signing secret', { exact: true }).textContent();
  expect(next).toMatch(/^whsec_/);
  expect(next).not.toBe(secret);
  await page.getByRole('button', { name: 'I have copied it' }).click();

  status = 410;
  await page.getByRole('button', { name: 'Replay endpoint.test' }).click();
  await page.getByText('Disabled because it responded with 410 Gone.').waitFor();
  status = 204;
  await page.getByRole('button', { name: 'Enable' }).click();
  await page.getByText('Enabled', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Replay endpoint.test' }).click();
  await delivery.getByText('Delivered').waitFor();
  const ids = receiver.events.map(({ id }) => id);
  expect(ids).toHaveLength(3);
  expect(new Set(ids).size).toBe(1);
  expect(complaints).toEqual([]);
});

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
