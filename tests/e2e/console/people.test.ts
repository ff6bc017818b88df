import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Definition, Execution } from '@deckhand/contracts';
import type { Browser, Page } from 'playwright-core';
import { issuesInBothSchemes, issuesOfAccess, openWindow, signIn, startBrowser } from '../../harness/browser.ts';
import { type OwnedStack, startOwnedStack } from '../../harness/console.ts';
import { serve } from '../../harness/serve.ts';
import { OWNER, stopAll, until } from '../../harness/index.ts';

const REFUND: Definition = {
  nodes: [
    { id: 'start', type: 'trigger.manual', name: 'Order arrives' },
    { id: 'price', type: 'set', name: 'Add the price', parameters: { fields: { total: '{{ $trigger.count * 3 }}' } } },
    { id: 'ask', type: 'approval', name: 'Ask', parameters: { message: 'Refund {{ $input.total }}?' } },
    {
      id: 'form',
      type: 'human',
      name: 'Note it',
      parameters: {
        title: 'When is {{ $nodes.price.output.total }} paid?',
        schema: {
          type: 'object',
          required: ['day', 'isSent'],
          properties: {
            day: { type: 'string', format: 'date' },
            note: { type: 'string', minLength: 3 },
            via: { type: 'string', enum: ['card', 'transfer'], default: 'transfer' },
            isSent: { type: 'boolean' },
          },
        },
      },
    },
    { id: 'end', type: 'terminal', name: 'End', parameters: { body: '{{ $nodes.form.output }}' } },
  ],
  edges: [
    { source: 'start', target: 'price' },
    { source: 'price', target: 'ask' },
    { source: 'ask', sourceHandle: 'approved', target: 'form' },
    { source: 'form', target: 'end' },
  ],
};

let stack: OwnedStack;
let browser: Browser;
let workflowId: string;

beforeAll(async () => {
  [stack, browser] = await Promise.all([startOwnedStack(), startBrowser()]);
  workflowId = await stack.createWorkflow('Refunds', REFUND);
});
afterAll(stopAll);

const read = (id: string) => stack.say<Execution>('GET', `/api/executions/${id}`);
const reaches = (id: string, status: string) => until(async () => (await read(id)).status === status, 10_000, status);

async function start(executionMode = 'normal'): Promise<string> {
  const body = { input: { count: 4 }, executionMode };
  const path = `/api/workflows/${workflowId}/execute`;
  const { executionId } = await stack.say<{ executionId: string }>('POST', path, body);
  await reaches(executionId, 'waiting_for_input');
  return executionId;
}

async function openConsole(path = ''): Promise<Page> {
  const { page } = await openWindow(browser, stack.url);
  await signIn(page, OWNER);
  if (path !== '') await page.goto(`/w/${stack.workspaceId}/${path}`);
  return page;
}

describe('what waits for a person', () => {
  it('is in one inbox: a decision, then a form with its title, a date field, and issues at their fields', async () => {
    const id = await start();
    const page = await openConsole();
    await page.getByRole('link', { name: /^Approvals/ }).click();
    await page.getByText('Refund 12?').waitFor();
    await page.getByRole('button', { name: 'Approve' }).click();
    const entry = page.getByRole('listitem').filter({ hasText: 'When is 12 paid?' });
    await entry.waitFor();
    await entry.locator('input[type=date]').fill('2026-12-24');
    await entry.getByLabel('Note').fill('no');
    await entry.getByRole('button', { name: 'Submit' }).click();
    await entry.getByRole('alert').filter({ hasText: '3 characters' }).waitFor();
    expect(await issuesInBothSchemes(page, 'approvals', 'desktop')).toEqual([]);
    await entry.getByLabel('Note').fill('by transfer');
    await entry.getByRole('button', { name: 'Submit' }).click();
    await page.getByText('No pending approvals').waitFor();
    await reaches(id, 'success');
    // With what it shows without being touched: a default, and a box that is not ticked.
    const body = { day: '2026-12-24', note: 'by transfer', via: 'transfer', isSent: false };
    expect((await read(id)).result).toMatchObject({ body });
    // Who decided is a name, not an id.
    await page.goto(`/w/${stack.workspaceId}/runs/${id}`);
    await page.getByText(`approved in Ask by ${OWNER.name}`).waitFor();
  });

  it('shows the title of its form on the page of its run, too', async () => {
    const id = await start();
    await stack.say('POST', '/api/approvals/submit', { executionId: id, nodeId: 'ask', approved: true });
    const page = await openConsole(`runs/${id}?node=form`);
    await page.getByRole('region', { name: 'Node' }).getByText('When is 12 paid?').waitFor();
    await page.getByLabel('Day').waitFor();
  });
});

describe('the page of a run', () => {
  it('keeps its place when a row of the timeline is clicked, and shows the data of a debug run', async () => {
    const id = await start('debug');
    const page = await openConsole(`runs/${id}`);
    await page.setViewportSize({ width: 1280, height: 500 });
    const row = page.getByRole('button', { name: /^Add the price/ });
    await row.scrollIntoViewIfNeeded();
    const place = await page.evaluate<number>('window.scrollY');
    expect(place).toBeGreaterThan(0);
    await row.click();
    const debug = page.getByRole('tab', { name: 'Debug' });
    await debug.waitFor();
    expect(await page.evaluate<number>('window.scrollY')).toBe(place);
    await debug.click();
    await page.getByRole('tree', { name: 'Parameters of price' }).getByText('12').waitFor();
  });

  it('marks what a partial rerun has reused, and links to the version that ran', async () => {
    const original = await start();
    await stack.say('POST', `/api/executions/${original}/stop`);
    const body = { fromNodeId: 'ask', version: 'original' };
    const path = `/api/executions/${original}/rerun`;
    const { executionId } = await stack.say<{ executionId: string }>('POST', path, body);
    await reaches(executionId, 'waiting_for_input');
    await stack.say('POST', `/api/workflows/${workflowId}/versions`, { definition: REFUND });
    const page = await openConsole(`runs/${executionId}`);
    await page.getByRole('button', { name: /^Add the price.*Reused/ }).waitFor();
    await page.getByRole('link', { name: 'Show version 1' }).click();
    await page.getByRole('combobox', { name: 'After' }).waitFor();
    expect(await page.getByRole('combobox', { name: 'After' }).inputValue()).toBe('Version 1');
  });
});

describe('a node that was tried several times', () => {
  it('has a segment for each attempt in the timeline, and lists them with their errors', async () => {
    let calls = 0;
    const { url } = await serve((_request, response) => {
      calls += 1;
      response.writeHead(calls === 1 ? 503 : 200, { 'content-type': 'application/json' }).end('{}');
    });
    const retriedId = await stack.createWorkflow('Retried', {
      nodes: [
        { id: 'start', type: 'trigger.manual' },
        {
          id: 'call',
          type: 'http',
          name: 'Call',
          parameters: { url },
          retry: { maxAttempts: 3, delayMs: 2_000, factor: 1 },
        },
      ],
      edges: [{ source: 'start', target: 'call' }],
    });
    const { executionId } = await stack.say<{ executionId: string }>('POST', `/api/workflows/${retriedId}/execute`, {
      input: {},
    });
    await reaches(executionId, 'success');
    const page = await openConsole(`runs/${executionId}?node=call`);
    const row = page.getByRole('button', { name: /^Call.*2 attempts/ });
    await row.getByTitle('Attempt 1: HTTP_STATUS').waitFor();
    const [failed, good] = await Promise.all(
      ['Attempt 1: HTTP_STATUS', 'Attempt 2: Success'].map((title) => row.getByTitle(title).boundingBox()),
    );
    expect(good!.x).toBeGreaterThan(failed!.x + failed!.width);
    const attempts = page.getByRole('region', { name: 'Node' }).getByRole('group').filter({ hasText: 'Attempts' });
    await attempts.getByText('Attempts').click();
    const rows = await attempts.getByRole('listitem').allInnerTexts();
    expect(rows).toEqual([expect.stringContaining('HTTP_STATUS'), expect.stringContaining('Success')]);
    expect(await issuesOfAccess(page)).toEqual([]);
  });
});
