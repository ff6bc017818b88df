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

