import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Execution } from '@deckhand/contracts';
import type { Browser } from 'playwright-core';
import { issuesInBothSchemes, openWindow, openAs, startBrowser } from '../../harness/browser.ts';
import { type OwnedStack, shareStack } from '../../harness/console.ts';
import { stopAll, until } from '../../harness/index.ts';
import { startMailServer } from '../../harness/mail-server.ts';

let stack: OwnedStack;
let browser: Browser;

beforeAll(async () => {
  [stack, browser] = await Promise.all([shareStack(), startBrowser()]);
});
afterAll(stopAll);

it('alerts on failed runs are set up, and tell of each failing workflow once', async () => {
  const { port, messages } = await startMailServer();
  const secret = { host: '127.0.0.1', port };
  await stack.say('POST', '/api/credentials', { workspaceId: stack.workspaceId, name: 'Mail', type: 'smtp', secret });
  const { page, complaints } = await openWindow(browser, stack.url);
  await openAs(page, stack, 'settings');
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
