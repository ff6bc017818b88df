import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ActivationEntry, Definition, PageOf, Workflow } from '@deckhand/contracts';
import type { Browser, Page } from 'playwright-core';
import { openWindow, openAs, startBrowser } from '../../../harness/browser.ts';
import { type OwnedStack, shareStack } from '../../../harness/console.ts';
import { stopAll } from '../../../harness/index.ts';

const HOOK: Definition = {
  nodes: [
    { id: 'hook', type: 'trigger.webhook', name: 'Order arrives', position: { x: 0, y: 0 } },
    {
      id: 'keep',
      type: 'set',
      name: 'Keep it',
      parameters: { fields: { sku: '{{ $trigger.body.sku }}' } },
      position: { x: 280, y: 0 },
    },
  ],
  edges: [{ source: 'hook', target: 'keep' }],
};

let stack: OwnedStack;
let browser: Browser;

beforeAll(async () => {
  [stack, browser] = await Promise.all([shareStack(), startBrowser()]);
});
afterAll(stopAll);

const node = (page: Page, name: string) => page.locator('.react-flow__node', { hasText: name });
const form = (page: Page) => page.getByRole('region', { name: 'Node', exact: true });
const read = (workflowId: string) => stack.say<Workflow>('GET', `/api/workflows/${workflowId}`);
const turn = (page: Page) => page.getByRole('switch', { name: 'Active' }).click();
const published = (page: Page) => page.getByRole('status', { name: 'Published version' });
const saved = (page: Page, text: string) => page.getByRole('status', { name: 'Saved state' }).getByText(text).waitFor();

async function openEditor(workflowId: string): Promise<Page> {
  const { page } = await openWindow(browser, stack.url);
  await openAs(page, stack, `workflows/${workflowId}`);
  await page.locator('.react-flow__node').first().waitFor();
  return page;
}

async function changeValue(page: Page, value: string): Promise<void> {
  await node(page, 'Keep it').click();
  await form(page).getByLabel('Fields: value 1').fill(value);
}

describe('an active workflow', () => {
  it('is edited in a draft, published after a look at the changes, and rolled back, without going offline', async () => {
    const id = await stack.createWorkflow('Orders', HOOK);
    const page = await openEditor(id);
    await turn(page);
    await published(page).getByText('v1 live', { exact: true }).waitFor();
    const first = await read(id);
    await changeValue(page, '{{ $trigger.body.article }}');
    await saved(page, 'Draft saved');
    await published(page).getByText('v1 live, v2 unpublished').waitFor();

    // The draft survives a reload, and is not a version.
    await page.reload();
    await node(page, 'Keep it').click();
    await form(page).getByText('$trigger.body.article').waitFor();
    expect(await read(id)).toMatchObject({
      latestVersionId: first.latestVersionId,
      draftUpdatedAt: expect.any(String),
    });
    await page.getByRole('link', { name: 'Publish version 2 (1 change)' }).click();
    await node(page, 'Keep it').getByText('Changed').waitFor();
    await page.getByRole('button', { name: 'Publish version 2' }).click();
    await page.getByText('Version 2 is live.').waitFor();
    await published(page).getByText('v2 live', { exact: true }).waitFor();
    await saved(page, 'Saved');
    const second = await read(id);
    expect(second).toMatchObject({ status: 'active', activeVersionId: second.latestVersionId });

    await page.getByRole('button', { name: 'Versions' }).click();
    await page.getByRole('link', { name: 'Roll back to version 1' }).click();
    await page.getByRole('button', { name: 'Roll back to version 1' }).click();
    await published(page).getByText('v1 live, v2 unpublished').waitFor();
    expect((await read(id)).activeVersionId).toBe(first.latestVersionId);
    const { data } = await stack.say<PageOf<ActivationEntry>>('GET', `/api/workflows/${id}/activations`);
    expect(data.map(({ status, activeVersionNumber }) => [status, activeVersionNumber])).toEqual([
      ['active', 1],
      ['active', 2],
      ['active', 1],
    ]);
    await turn(page);
    await page.getByRole('button', { name: 'Turn off' }).click();
    await page.getByText('The workflow is inactive.').waitFor();
    expect((await read(id)).status).toBe('inactive');
  });
});
