import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { InstanceSettings, Workflow, WorkspaceLimits } from '@deckhand/contracts';
import type { Browser, Page } from 'playwright-core';
import {
  issuesInBothSchemes,
  issuesOfAccess,
  openAsMember,
  openWindow,
  signIn,
  startBrowser,
  takePicture,
} from '../../harness/browser.ts';
import { type OwnedStack, startOwnedStack } from '../../harness/console.ts';
import { OWNER, stopAll, until } from '../../harness/index.ts';

let stack: OwnedStack;
let browser: Browser;

beforeAll(async () => {
  [stack, browser] = await Promise.all([startOwnedStack(), startBrowser()]);
});
afterAll(stopAll);

const limits = () => stack.say<WorkspaceLimits>('GET', `/api/admin/workspaces/${stack.workspaceId}/limits`);
const settings = () => stack.say<InstanceSettings>('GET', '/api/admin/settings');

async function openAdministration(page: Page): Promise<void> {
  await signIn(page, OWNER);
  await page.getByRole('navigation', { name: 'Areas' }).getByRole('link', { name: 'Administration' }).click();
  await page.getByLabel('Max concurrent runs').waitFor();
}

describe('the settings of a workflow', () => {
  it('are a part of its definition: changed, taken back, saved', async () => {
    const id = await stack.createWorkflow('Nightly', {
      nodes: [{ id: 'start', type: 'trigger.manual' }],
      edges: [],
    });
    const { page, complaints } = await openWindow(browser, stack.url);
    await signIn(page, OWNER);
    await page.goto(`/w/${stack.workspaceId}/workflows/${id}`);
    await page.getByRole('button', { name: 'Settings', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Run timeout (seconds)').fill('3600');
    await dialog.getByLabel('Max concurrent runs').fill('2');
    await dialog.getByLabel('Webhook requests').fill('100');
    await dialog.getByLabel('Runs per key').fill('1');
    await dialog.getByLabel('Concurrency key').fill('{{ $trigger.customer }}');
    await dialog.getByRole('button', { name: 'Add event' }).click();
    await dialog.getByLabel('Event 1: name').fill('order.cancelled');
    await dialog.getByLabel('Event 1: key').fill('{{ $trigger.order }}');
    await takePicture(page, 'workflow-settings');
    expect(await issuesOfAccess(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('Draft saved').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Redo' }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    expect((await stack.say<Workflow>('GET', `/api/workflows/${id}`)).definition?.settings).toEqual({
      timeoutSeconds: 3_600,
      maxConcurrentExecutions: 2,
      rateLimit: { max: 100, windowSeconds: 60 },
      concurrency: { key: '{{ $trigger.customer }}', limit: 1, onLimit: 'queue' },
      cancelOn: [{ name: 'order.cancelled', key: '{{ $trigger.order }}' }],
    });

    // An error is shown at its field.
    await page.getByRole('button', { name: 'Settings', exact: true }).click();
    await dialog.getByLabel('Max concurrent runs').fill('0');
    await dialog.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await dialog.getByText(/must be >= 1/).waitFor();
    expect(await dialog.getByLabel('Max concurrent runs').getAttribute('aria-invalid')).toBe('true');
    expect(await page.getByRole('alert').count()).toBe(0);
    await dialog.getByLabel('Max concurrent runs').fill('3');
    await dialog.getByLabel('Event 1: key').fill('{{ $nodes.a.output }}');
    await dialog.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await dialog.getByText(/it can use \$trigger/).waitFor();
    await dialog.getByRole('button', { name: 'Remove event 1' }).click();
    await dialog.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    // What nobody has changed stays as it is.
    await page.getByRole('button', { name: 'Settings', exact: true }).click();
    await dialog.getByRole('button', { name: 'Apply' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await page.getByText('Saved', { exact: true }).count()).toBe(1);
    expect(complaints).toEqual([]);
  });
});

it('the administration can be used by everybody', async () => {
  await stack.say('PUT', `/api/admin/workspaces/${stack.workspaceId}/limits`, {
    executionsPerMinute: 600,
    maxConcurrentExecutions: 20,
    storageQuotaBytes: 1_048_576,
  });
  for (const screen of ['desktop', 'phone'] as const) {
    const { page, complaints } = await openWindow(browser, stack.url, { screen });
    await signIn(page, OWNER);
    await page.goto(`/w/${stack.workspaceId}/administration`);
    await page.getByText('of 1.0 MiB used').waitFor();
    await page.getByLabel('Keep runs (days)').waitFor();
    expect(await issuesInBothSchemes(page, 'administration', screen)).toEqual([]);
    expect(complaints).toEqual([]);
  }
});
