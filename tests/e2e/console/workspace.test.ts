import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Execution, FolderEntry, MemberEntry, PageOf, Workflow, WorkspaceEntry } from '@deckhand/contracts';
import type { Browser, Page } from 'playwright-core';
import { issuesInBothSchemes, issuesOfAccess, openWindow, signIn, startBrowser } from '../../harness/browser.ts';
import { type OwnedStack, startOwnedStack } from '../../harness/console.ts';
import { OWNER, stopAll, until } from '../../harness/index.ts';

let stack: OwnedStack;
let browser: Browser;
let shipping: string;
let billing: string;

const MANUAL = { nodes: [{ id: 'start', type: 'trigger.manual' }], edges: [] };

const createFolder = async (name: string, parentId: string | null = null): Promise<string> =>
  (await stack.say<FolderEntry>('POST', '/api/folders', { workspaceId: stack.workspaceId, name, parentId })).id;
const folderOf = async (workflowId: string) =>
  (await stack.say<Workflow>('GET', `/api/workflows/${workflowId}`)).folderId;

beforeAll(async () => {
  [stack, browser] = await Promise.all([startOwnedStack(), startBrowser()]);
  shipping = await stack.createWorkflow('Shipping', {
    nodes: [
      { id: 'start', type: 'trigger.manual' },
      { id: 'ask', type: 'approval', parameters: { message: 'Ship {{ $trigger.sku }}?' } },
      {
        id: 'form',
        type: 'human',
        parameters: {
          title: 'Which carrier?',
          schema: { type: 'object', properties: { carrier: { type: 'string' } }, required: ['carrier'] },
        },
      },
    ],
    edges: [
      { source: 'start', target: 'ask' },
      { source: 'ask', sourceHandle: 'approved', target: 'form' },
    ],
  });
  billing = await createFolder('Billing');
  await createFolder('Invoices', billing);
  await createFolder('Warehouse');
  for (const [name, description, folderId] of [
    ['Remind late payers', 'Every Monday, by e-mail', billing],
    ['Book payments', 'From the bank, into the ledger', billing],
    ['Check the stock', 'Warns when something runs low', null],
  ]) {
    const body = { workspaceId: stack.workspaceId, name, description, folderId, definition: MANUAL };
    const { id } = await stack.say<Workflow>('POST', '/api/workflows', body);
    await stack.say('PATCH', `/api/workflows/${id}`, { status: 'active' });
  }
});
afterAll(stopAll);

const go = (page: Page, area: string) =>
  page.getByRole('navigation', { name: 'Areas' }).getByRole('link', { name: area }).click();

describe('an approval', () => {
  it('waits in the inbox, is decided with a comment, and the form after it is filled in', async () => {
    const { page, complaints } = await openWindow(browser, stack.url);
    await signIn(page, OWNER);
    await go(page, 'Approvals');
    await page.getByText('No pending approvals').waitFor();
    const id = await stack.start(shipping, { sku: 'A-17' });
    const entry = page.getByRole('listitem').filter({ hasText: 'Ship A-17?' });
    await entry.getByLabel('Comment').fill('before noon');
    await entry.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('No pending approvals').waitFor();
    await page.goto(`/w/${stack.workspaceId}/runs/${id}?node=form`);
    await page.getByRole('textbox', { name: 'Carrier' }).fill('Pigeon');
    await page.getByRole('button', { name: 'Submit' }).click();
    await page.getByRole('tree', { name: 'Output of form' }).getByText('"Pigeon"').waitFor();
    const run = await stack.say<Execution>('GET', `/api/executions/${id}`);
    expect(run).toMatchObject({
      status: 'success',
      data: { approvals: [{ decision: 'approved', comment: 'before noon' }] },
    });
    expect(complaints).toEqual([]);
  });
});

describe('folders', () => {
  const table = (page: Page) => page.getByRole('table', { name: 'Workflows' });
  const row = (page: Page, name: string) => table(page).getByRole('link', { name, exact: true });
  const dialog = (page: Page) => page.getByRole('dialog');
  /** Chooses from the menu of a row, without a mouse. */
  const choose = async (page: Page, of: string, action: string): Promise<void> => {
    await page.getByRole('button', { name: `Actions for ${of}`, exact: true }).press('Enter');
    await page.getByRole('menuitem', { name: action }).press('Enter');
    await dialog(page).waitFor();
  };
  /** Selects the target of a move by typing. */
  const pick = async (page: Page, place: string): Promise<void> => {
    await dialog(page).getByRole('combobox', { name: 'To' }).pressSequentially(place);
    await page.getByRole('option', { name: place }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
  };
  const make = async (page: Page, what: string, name: string): Promise<void> => {
    await page
      .getByRole('button', { name: `New ${what}` })
      .first()
      .click();
    await dialog(page).getByLabel('Name').fill(name);
    await page.keyboard.press('Enter');
    await dialog(page).waitFor({ state: 'detached' });
  };
  const title = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
});

it('every page can be used by everybody', async () => {
  await stack.start(shipping, { sku: 'B-4' });
  for (const screen of ['desktop', 'phone'] as const) {
    const { page, complaints } = await openWindow(browser, stack.url, { screen });
    await signIn(page, OWNER);
    for (const [area, ready, path] of [
      ['workflows', 'Warehouse', 'workflows'],
      ['folder', 'Book payments', `workflows?folderId=${billing}`],
      ['approvals', 'Ship B-4?', 'approvals'],
      ['api-keys', 'New API key', 'api-keys'],
      ['fleet', 'Ready', 'fleet'],
      ['members', OWNER.name, 'members'],
      ['variables', 'New variable', 'variables'],
      ['credentials', 'New credential', 'credentials'],
      ['settings', 'Error workflow', 'settings'],
      ['audit-log', 'workflow', 'audit-log'],
      ['account', 'This device', 'account'],
    ] as const) {
      await page.goto(`/w/${stack.workspaceId}/${path}`);
      await page.getByText(ready).first().waitFor();
      expect(await issuesInBothSchemes(page, area, screen)).toEqual([]);
    }
    expect(complaints).toEqual([]);
  }
});
