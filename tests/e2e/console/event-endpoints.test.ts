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

it('an event endpoint is edited, and the deliveries of a time are replayed', async () => {
  const { data } = await stack.say<PageOf<EventEndpoint>>(
    'GET',
    `/api/event-endpoints?workspaceId=${stack.workspaceId}`,
  );
  const id = data[0]?.id ?? '';
  const { page, complaints } = await openWindow(browser, stack.url);
  await signIn(page, OWNER);
  await page.goto(`/w/${stack.workspaceId}/event-endpoints/${id}`);
  await page.getByRole('button', { name: 'Edit' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Description').fill('Failures of the shop');
  await dialog.getByRole('combobox', { name: 'Events' }).click();
  await page.getByRole('option', { name: 'run.timed_out' }).click();
  await page.keyboard.press('Tab');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Failures of the shop').waitFor();
  await page.getByText('run.failed, run.timed_out').waitFor();
  expect(await stack.say<EventEndpoint>('GET', `/api/event-endpoints/${id}`)).toMatchObject({
    ...{ url: receiver.url, description: 'Failures of the shop', workflowIds: null, tags: null },
    eventTypes: ['run.failed', 'run.timed_out'],
  });

  const before = receiver.events.length;
  await page.getByRole('button', { name: 'Replay deliveries' }).click();
  await dialog.getByRole('combobox', { name: 'Deliveries' }).click();
  await page.getByRole('option', { name: 'Delivered', exact: true }).click();
  await dialog.getByRole('button', { name: 'Replay', exact: true }).click();
  await page.getByText('1 event is sent again.').waitFor();
  await until(() => receiver.events.length === before + 1, 10_000, 'the replayed event');
  expect(complaints).toEqual([]);
});

it('the callback of a run is on its page, and is replayed', async () => {
  const workflowId = await stack.createWorkflow('Called back', {
    nodes: [{ id: 'start', type: 'trigger.manual' }],
    edges: [],
  });
  const { executionId } = await stack.say<ExecuteResponse>('POST', `/api/workflows/${workflowId}/execute`, {
    callbackUrl: receiver.url,
  });
  const calls = () => receiver.events.filter(({ payload }) => payload.data.executionId === executionId).length;
  await until(() => calls() === 1, 10_000, 'the callback');
  const { page, complaints } = await openWindow(browser, stack.url);
  await signIn(page, OWNER);
  await page.goto(`/w/${stack.workspaceId}/runs/${executionId}`);
  await page.getByRole('tab', { name: 'Callbacks' }).click();
  const row = page.getByRole('table', { name: 'Callbacks' }).getByRole('row').filter({ hasText: 'run.succeeded' });
  await row.getByText('Delivered').waitFor();
  await row.getByRole('button', { name: 'Replay run.succeeded' }).click();
  await until(() => calls() === 2, 10_000, 'the replayed callback');
  await row.getByText('Delivered').waitFor();
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
