import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ActivationEntry, Definition, PageOf, SavedVersion, Workflow } from '@deckhand/contracts';
import type { Browser, Page } from 'playwright-core';
import { openWindow, signIn, startBrowser } from '../../harness/browser.ts';
import { type OwnedStack, startOwnedStack } from '../../harness/console.ts';
import { OWNER, stopAll } from '../../harness/index.ts';

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
  [stack, browser] = await Promise.all([startOwnedStack(), startBrowser()]);
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
  await signIn(page, OWNER);
  await page.goto(`/w/${stack.workspaceId}/workflows/${workflowId}`);
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

    // The draft survives a reload, and is no version.
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
    await page.getByText('The workflow is inactive.').waitFor();
    expect((await read(id)).status).toBe('inactive');
  });
});

describe('an invalid canvas', () => {
  it('is kept as a draft, and is not activated: its issues are shown instead', async () => {
    const id = await stack.createWorkflow('Invalid', HOOK);
    const page = await openEditor(id);
    await changeValue(page, '{{ 1 + }}');
    await saved(page, 'Draft saved');
    await turn(page);
    await node(page, 'Keep it').getByRole('img', { name: /sku/ }).waitFor();
    expect(await read(id)).toMatchObject({ status: 'draft', activeVersionId: null });
    // It is discarded from the list of versions.
    await page.getByRole('button', { name: 'Versions' }).click();
    await page.getByRole('button', { name: 'Discard draft' }).click();
    const question = page.getByRole('dialog', { name: 'Discard the draft?' });
    await question.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Discard draft' }).click();
    // An error is shown there, and nothing is lost.
    await page.route('**/api/workflows/*', (route) => route.fulfill({ status: 403, json: { error: 'Not now' } }));
    await question.getByRole('button', { name: 'Discard', exact: true }).click();
    await question.getByRole('alert').getByText('Not now').waitFor();
    await page.unroute('**/api/workflows/*');
    await question.getByRole('button', { name: 'Discard', exact: true }).click();
    await saved(page, 'Saved');
    await form(page).getByText('$trigger.body.sku').waitFor();
  });
});

describe('two editors', () => {
  it('do not replace the live version of each other unseen', async () => {
    const id = await stack.createWorkflow('Published by two', HOOK);
    const page = await openEditor(id);
    await turn(page);
    await published(page).getByText('v1 live', { exact: true }).waitFor();
    await changeValue(page, 'of the first');
    await page.getByRole('link', { name: 'Publish version 2 (1 change)' }).click();
    await stack.say('PATCH', `/api/workflows/${id}`, { status: 'inactive' });
    await page.getByRole('button', { name: 'Publish version 2' }).click();
    await page.getByText('Somebody else has published a version, or turned').waitFor();
    const before = await read(id);
    expect([before.status, before.activeVersionId === before.latestVersionId]).toEqual(['inactive', false]);
    await turn(page);
    await published(page).getByText('v2 live', { exact: true }).waitFor();
  });

  it('do not overwrite the drafts of each other unasked', async () => {
    const id = await stack.createWorkflow('Shared', HOOK);
    const [first, second] = [await openEditor(id), await openEditor(id)];
    await changeValue(first, 'of the first');
    await saved(first, 'Draft saved');
    await changeValue(second, 'of the second');
    await saved(second, 'Draft not saved: somebody else is editing');
    await second.getByRole('button', { name: 'Resolve…' }).click();
    await second.getByRole('button', { name: 'Load their draft' }).click();
    await saved(second, 'Draft saved');
    await node(second, 'Keep it').click();
    await form(second).getByText('of the first').waitFor();
    await changeValue(second, 'of both');
    await saved(second, 'Draft saved');
    await changeValue(first, 'of the first again');
    await first.getByRole('button', { name: 'Resolve…' }).click();
    await first.getByRole('button', { name: 'Replace their draft' }).click();
    await saved(first, 'Draft saved');
    const { definition } = await stack.say<{ definition: Definition }>('GET', `/api/workflows/${id}/draft`);
    expect(JSON.stringify(definition)).toContain('of the first again');
  });
});

describe('a managed workflow', () => {
  it('is shown and run, and not changed', async () => {
    const id = await stack.createWorkflow('Managed', HOOK);
    await stack.say('PATCH', `/api/workflows/${id}`, { slug: 'managed', managed: true });
    const page = await openEditor(id);
    await page.getByRole('note').getByText('Files define this workflow (managed)').waitFor();
    await node(page, 'Keep it').click();
    expect(await form(page).getByLabel('Name', { exact: true }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Run' }).waitFor();
    expect(await page.getByRole('button', { name: 'Save' }).count()).toBe(0);
    expect(await page.getByRole('switch', { name: 'Active' }).count()).toBe(0);
    // Nor by the keyboard.
    await node(page, 'Keep it').click();
    for (const keys of ['Control+C', 'Control+V', 'Control+Z', 'Delete']) await page.keyboard.press(keys);
    expect(await page.locator('.react-flow__node').count()).toBe(2);
    // Its URL is copied and tested all the same.
    await node(page, 'Order arrives').click();
    expect(await form(page).getByRole('button', { name: 'Copy' }).isEnabled()).toBe(true);
    await form(page).getByRole('button', { name: 'Listen for test event' }).click();
    await page.getByRole('status', { name: 'Test event' }).getByText('Listening').waitFor();
    await form(page).getByRole('button', { name: 'Close' }).click();
    await page.getByRole('heading', { name: 'Select a node' }).waitFor();
    expect((await read(id)).draftUpdatedAt).toBeNull();
  });

  it('is not published, renamed, moved or deleted', async () => {
    const id = await stack.createWorkflow('Managed and live', HOOK);
    await stack.say('PATCH', `/api/workflows/${id}`, { status: 'active' });
    const before = (await read(id)).activeVersionId!;
    const next = { definition: { ...HOOK, settings: { timeoutSeconds: 60 } } };
    const { workflowVersionId: after } = await stack.say<SavedVersion>('POST', `/api/workflows/${id}/versions`, next);
    await stack.say('PATCH', `/api/workflows/${id}`, { slug: 'managed-and-live', managed: true });
    const page = await openEditor(id);
    await page.goto(`/w/${stack.workspaceId}/workflows/${id}?before=${before}&after=${after}`);
    await page.getByRole('list', { name: 'Changes' }).waitFor();
    expect(await page.getByRole('button', { name: 'Publish version 2' }).count()).toBe(0);
    await page.goto(`/w/${stack.workspaceId}/workflows`);
    const row = page.getByRole('row', { name: /Managed and live/ });
    await row.getByText('Managed', { exact: true }).waitFor();
    expect(await row.getByRole('button').count()).toBe(0);
  });
});
