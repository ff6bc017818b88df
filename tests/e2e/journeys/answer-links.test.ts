import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { issuesOfAccess, openWindow, startBrowser } from '../../harness/browser.ts';
import {
  callWithKey,
  createWorkflow,
  type Instance,
  startInstance,
  startTestWorker,
  stopAll,
  until,
} from '../../harness/index.ts';

let instance: Instance;
let browser: Browser;

beforeAll(async () => {
  [instance, browser] = await Promise.all([startInstance(), startBrowser()]);
  await startTestWorker(instance, { publicUrl: instance.gateway.url });
});
afterAll(stopAll);

const call = callWithKey(() => instance);
const read = async (id: string) => (await call('GET', `/api/executions/${id}`)).body;

/** Starts a run that waits for an approval or a form, and returns the link to it. */
async function linkTo(type: string, parameters: object): Promise<{ readonly id: string; readonly link: string }> {
  const workflowId = await createWorkflow(instance, {
    nodes: [
      { id: 'start', type: 'trigger.manual' },
      { id: 'mail', type: 'set', parameters: { fields: { link: '{{ $links.ask }}' } } },
      { id: 'ask', type, parameters: { ...parameters, allowLinks: true } },
    ],
    edges: [
      { source: 'start', target: 'mail' },
      { source: 'mail', target: 'ask' },
    ],
  });
  const { executionId } = (await call('POST', `/api/workflows/${workflowId}/execute`)).body;
  const run = await until(async () => {
    const found = await read(executionId);
    return found.status.startsWith('waiting_for_') ? found : undefined;
  }, 'the run to wait');
  const { link } = run.progress.mail!.output as { link: string };
  return { id: executionId, link };
}

const ended = (id: string) => until(async () => (await read(id)).status === 'success', 'the end of the run');

describe('on a phone', () => {
  it('an approval is decided with a comment, in a page that anybody can use', async () => {
    const { id, link } = await linkTo('approval', { message: `Pay ${'9'.repeat(200)}?`, choices: ['Yes', 'Not yet'] });
    const { page, complaints } = await openWindow(browser, instance.gateway.url, { screen: 'phone' });
    await page.goto(link);
    expect(await issuesOfAccess(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true);
    await page.getByLabel('Comment').fill('After lunch');
    await page.getByRole('button', { name: 'Not yet' }).click();
    await page.getByText('Your answer is recorded.').waitFor();
    expect(await issuesOfAccess(page)).toEqual([]);
    await ended(id);
    expect((await read(id)).data.approvals).toMatchObject([{ decision: 'Not yet', comment: 'After lunch' }]);
    // The page is not kept: going back shows what it says now.
    await page.goBack();
    await page.getByText('Answered through this link').waitFor();
    expect(complaints).toEqual([]);
  });

  it('a form is filled in', async () => {
    const { id, link } = await linkTo('human', {
      title: 'Delivery',
      schema: {
        type: 'object',
        required: ['address', 'size'],
        properties: {
          address: { type: 'string', title: 'Address', maxLength: 500 },
          size: { enum: ['small', 'large'], title: 'Size', description: 'Of the parcel' },
          express: { type: 'boolean', title: 'Express' },
        },
      },
    });
    const { page, complaints } = await openWindow(browser, instance.gateway.url, { screen: 'phone' });
    await page.goto(link);
    expect(await issuesOfAccess(page)).toEqual([]);
    await page.getByLabel('Address').fill('1 Main Street\n12345 Town');
    await page.getByLabel('Size').selectOption('large');
    await page.getByLabel('Express').check();
    await page.getByRole('button', { name: 'Submit' }).click();
    await page.getByText('Your answer is recorded.').waitFor();
    await ended(id);
    expect((await read(id)).progress.ask?.output).toEqual({
      address: '1 Main Street\n12345 Town',
      size: 'large',
      express: true,
    });
    expect(complaints).toEqual([]);
  });
});
