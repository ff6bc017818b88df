import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { BulkAction, Execution, FailureGroup, PageOf } from '@deckhand/contracts';
import type { Browser, Page } from 'playwright-core';
import { issuesInBothSchemes, openWindow, signIn, startBrowser } from '../../harness/browser.ts';
import { type OwnedStack, startOwnedStack } from '../../harness/console.ts';
import { OWNER, stopAll, until } from '../../harness/index.ts';

/** Longer than the indexing of runs takes, in ms. */
const PATIENCE_MS = 20_000;

let stack: OwnedStack;
let browser: Browser;
let orders: string;
let waiting: string;

beforeAll(async () => {
  [stack, browser] = await Promise.all([startOwnedStack(), startBrowser()]);
  orders = await stack.createWorkflow('Orders', {
    nodes: [
      { id: 'start', type: 'trigger.manual' },
      { id: 'refuse', type: 'fail', parameters: { message: 'No order {{ $trigger.number }}' } },
    ],
    edges: [{ source: 'start', target: 'refuse' }],
  });
  waiting = await stack.createWorkflow('Waiting', {
    nodes: [
      { id: 'start', type: 'trigger.manual' },
      { id: 'ask', type: 'approval', parameters: { message: 'Go on?' } },
    ],
    edges: [{ source: 'start', target: 'ask' }],
  });
  for (const number of [17, 18, 19]) await stack.start(orders, { number });
  await failuresReach(3);
});
afterAll(stopAll);

const go = (page: Page, area: string) =>
  page.getByRole('navigation', { name: 'Areas' }).getByRole('link', { name: area, exact: true }).click();
const list = async <T>(path: string) =>
  (await stack.say<PageOf<T>>('GET', `${path}?workspaceId=${stack.workspaceId}`)).data;

async function failuresReach(count: number): Promise<void> {
  const reached = async () => (await list<FailureGroup>('/api/failure-groups'))[0]?.count === count;
  await until(reached, PATIENCE_MS, `${count} failures`);
}

it('every page can be used by everybody', async () => {
  const [group] = await list<FailureGroup>('/api/failure-groups');
  const [action] = await list<BulkAction>('/api/bulk-actions');
  for (const screen of ['desktop', 'phone'] as const) {
    const { page, complaints } = await openWindow(browser, stack.url, { screen });
    await signIn(page, OWNER);
    for (const [name, path, ready] of [
      ['failures', 'failures', 'No order <number>'],
      ['failure', `failures/${group?.id}`, 'Version 1'],
      ['bulk-actions', 'bulk-actions', 'Aborted'],
      ['bulk-action', `bulk-actions/${action?.id}`, 'NOT_FOUND'],
      ['runs', 'runs', 'Failed'],
    ] as const) {
      await page.goto(`/w/${stack.workspaceId}/${path}`);
      await page.getByText(ready).first().waitFor();
      expect(await issuesInBothSchemes(page, name, screen)).toEqual([]);
    }
    expect(complaints).toEqual([]);
  }
});
