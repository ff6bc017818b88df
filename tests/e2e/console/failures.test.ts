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

describe('a failure group', () => {
  it('is resolved, opens by itself, is ignored and opened, and its runs are rerun', async () => {
    const { page, complaints } = await openWindow(browser, stack.url);
    await signIn(page, OWNER);
    await go(page, 'Failures');
    const failures = page.getByRole('table', { name: 'Failures' });
    const row = failures.getByRole('row').filter({ hasText: 'No order <number>' });
    await row.getByText('fail · FAILED_BY_WORKFLOW').waitFor();
    await row.getByText('Orders').waitFor();
    await row.getByText('3', { exact: true }).waitFor();
    await row.getByText('Open').waitFor();
    await row.getByRole('link').click();
    await page.getByRole('table', { name: 'Affected versions' }).getByText('Version 1').waitFor();
    await page.getByRole('table', { name: 'Latest runs' }).getByText('No order 17').waitFor();

    await page.getByRole('button', { name: 'Resolve' }).click();
    await page.getByText('Resolved').waitFor();
    await stack.start(orders, { number: 20 });
    await page.getByText('4 failures').waitFor();
    await page.getByRole('button', { name: 'Ignore' }).click();
    await page.getByText('Ignored').waitFor();
    await page.getByRole('button', { name: 'Reopen' }).click();
    await page.getByRole('button', { name: 'Ignore' }).waitFor();

    await page.getByRole('link', { name: 'Show all runs' }).click();
    await page.getByText('Only runs of one failure group').waitFor();
    await page.getByRole('link', { name: 'one failure group' }).click();
    await page.getByRole('button', { name: 'Re-run all' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('4 runs match').waitFor();
    await dialog.getByRole('button', { name: 'Re-run 4 runs' }).click();
    await page.waitForURL('**/bulk-actions');
    const action = page.getByRole('row').filter({ hasText: 'Re-run 4 runs' });
    await action.getByText('Finished').waitFor();
    await action.getByText('4 of 4').waitFor();
    await failuresReach(8);
    expect(complaints).toEqual([]);
  });
});

describe('a bulk action', () => {
  it('acts on the selected runs of the list', async () => {
    const { page, complaints } = await openWindow(browser, stack.url);
    await signIn(page, OWNER);
    const before = await list<Execution>('/api/executions');
    await go(page, 'Runs');
    const selects = page.getByRole('checkbox', { name: /^Select the run of Orders/ });
    await selects.nth(0).check();
    await selects.nth(1).check();
    await page.getByRole('button', { name: '2 selected' }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete 2 runs' }).click();
    await page.getByRole('row').filter({ hasText: 'Delete 2 runs' }).getByText('2 of 2').waitFor();
    expect(await list<Execution>('/api/executions')).toHaveLength(before.length - 2);
    expect(complaints).toEqual([]);
  });

  it('acts on all runs that match the filter, and is aborted', async () => {
    for (const number of [1, 2, 3, 4]) await stack.start(waiting, { number });
    const isWaiting = ({ status }: Execution) => status === 'waiting_for_input';
    await until(
      async () => (await list<Execution>('/api/executions')).filter(isWaiting).length === 4,
      PATIENCE_MS,
      'four waiting runs',
    );
    const { page, complaints } = await openWindow(browser, stack.url);
    await signIn(page, OWNER);
    await page.goto(`/w/${stack.workspaceId}/runs?status=waiting_for_input&workflowId=${waiting}`);
    await page.getByRole('button', { name: 'All matching runs' }).click();
    await page.getByRole('menuitem', { name: 'Stop…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('4 runs match').waitFor();
    await dialog.getByLabel('Runs per second').fill('1');
    await dialog.getByRole('button', { name: 'Stop 4 runs' }).click();
    await page.getByRole('button', { name: 'Abort Stop 4 runs' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Abort' }).click();
    await page.getByRole('row').filter({ hasText: 'Stop 4 runs' }).getByText('Aborted').waitFor();
    const [action] = await list<BulkAction>('/api/bulk-actions');
    expect(action).toMatchObject({ action: 'stop', status: 'aborted', total: 4 });
    expect(action?.done).toBeLessThan(4);
    expect(complaints).toEqual([]);
  });

  it('has a page with its progress, and the runs that it did not act on', async () => {
    const finished = (await list<Execution>('/api/executions')).find(({ status }) => status === 'failed');
    const unknown = '01a1fb35-e8df-7352-8660-75a19a555603';
    const { id } = await stack.say<BulkAction>('POST', '/api/bulk-actions', {
      ...{ workspaceId: stack.workspaceId, action: 'delete', executionIds: [finished?.id, unknown] },
    });
    const { page, complaints } = await openWindow(browser, stack.url);
    await signIn(page, OWNER);
    await go(page, 'Bulk actions');
    await page.getByRole('link', { name: 'Delete 2 runs' }).first().click();
    await page.waitForURL(`**/bulk-actions/${id}`);
    // The list, whose actions have the same texts, has no such table.
    const skipped = page.getByRole('table', { name: 'Failed and skipped runs' }).getByRole('row');
    await skipped.filter({ hasText: unknown }).getByText('NOT_FOUND').waitFor();
    await page.getByText('Finished').waitFor();
    await page.getByText('2 of 2').waitFor();
    await page.getByText('1 done · 1 skipped').waitFor();
    expect(complaints).toEqual([]);
  });
});

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
