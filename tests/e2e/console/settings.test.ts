import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Execution, PageOf, ScheduleEntry, Workflow, WorkflowEntry, WorkspaceEntry } from '@deckhand/contracts';
import type { Browser } from 'playwright-core';
import { issuesInBothSchemes, openWindow, signIn, startBrowser } from '../../harness/browser.ts';
import { type OwnedStack, startOwnedStack } from '../../harness/console.ts';
import { OWNER, stopAll, until } from '../../harness/index.ts';
import { startMailServer } from '../../harness/mail-server.ts';

let stack: OwnedStack;
let browser: Browser;
let nightly: string;

const read = (id: string) => stack.say<Workflow>('GET', `/api/workflows/${id}`);

beforeAll(async () => {
  [stack, browser] = await Promise.all([startOwnedStack(), startBrowser()]);
  nightly = await stack.createWorkflow('Nightly', {
    nodes: [
      { id: 'schedule', type: 'trigger.schedule', parameters: { cron: '0 3 * * *' } },
      { id: 'hook', type: 'trigger.webhook' },
      { id: 'get', type: 'http', parameters: { url: 'http://127.0.0.1:1/' } },
    ],
    edges: [
      { source: 'schedule', target: 'get' },
      { source: 'hook', target: 'get' },
    ],
  });
  await stack.say('PATCH', `/api/workflows/${nightly}`, { status: 'active' });
});
afterAll(stopAll);

it('alerts on failed runs are set up, and tell of each failing workflow once', async () => {
  const { port, messages } = await startMailServer();
  const secret = { host: '127.0.0.1', port };
  await stack.say('POST', '/api/credentials', { workspaceId: stack.workspaceId, name: 'Mail', type: 'smtp', secret });
  const { page, complaints } = await openWindow(browser, stack.url);
  await signIn(page, OWNER);
  await page.goto(`/w/${stack.workspaceId}/settings`);
  await page.getByText('No alert is sent when a run fails').waitFor();
  await page.getByRole('button', { name: 'Set up alerts' }).click();
  const dialog = page.getByRole('dialog', { name: 'Failure alerts' });
  expect(await issuesInBothSchemes(page, 'failure-alerts', 'desktop')).toEqual([]);
  await dialog.getByRole('combobox', { name: 'Credential' }).click();
  await page.getByRole('option', { name: 'Mail' }).click();
  await dialog.getByLabel('From').fill('deckhand@example.com');
  await dialog.getByLabel('To').fill('ada@example.com');
  await dialog.getByRole('button', { name: 'Set up alerts' }).click();
  await page.getByText('Alerts are sent from now on.').waitFor();
  const chosen = page.getByRole('combobox', { name: 'Error workflow' });
  await until(async () => (await chosen.inputValue()) === 'Failure alerts');

  const orders = await stack.createWorkflow('Orders', {
    nodes: [
      { id: 'start', type: 'trigger.manual' },
      { id: 'refuse', type: 'fail', parameters: { message: 'No such order' } },
    ],
    edges: [{ source: 'start', target: 'refuse' }],
  });
  const first = await stack.start(orders);
  await until(() => messages.length > 0, 'the message');
  // Without the line breaks of the encoding (RFC 2045, section 6.7).
  const message = messages[0]?.replaceAll('=\r\n', '');
  expect(message).toMatch(/^ENVELOPE ada@example.com\n[^]*Subject: Orders failed[^]*No such order/);
  expect(message).toContain(`${stack.url}/w/${stack.workspaceId}/runs/${first}`);
  const second = await stack.start(orders);
  await until(async () => {
    const { errorExecutionId } = await stack.say<Execution>('GET', `/api/executions/${second}`);
    return (await stack.say<Execution>('GET', `/api/executions/${errorExecutionId}`)).status === 'success';
  }, 'the report of the second run to end');
  expect(messages).toHaveLength(1);
  expect(complaints).toEqual([]);
});
