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

describe('a workspace', () => {
  it('lets somebody in by an invite, who can then look but not touch', async () => {
    const { page } = await openWindow(browser, stack.url);
    await signIn(page, OWNER);
    await go(page, 'Members');
    await page.getByRole('button', { name: 'Invite' }).click();
    await page.getByRole('dialog').getByRole('combobox', { name: 'Role' }).click();
    await page.getByRole('option', { name: 'viewer' }).click();
    await page.getByRole('button', { name: 'Create invite link' }).click();
    const link = (await page.getByLabel('Link', { exact: true }).textContent()) ?? '';
    const { page: guest } = await openWindow(browser, stack.url);
    await guest.goto(link);
    await guest.getByLabel('Your name').fill('Grace');
    await guest.getByLabel('E-mail').fill('grace@example.com');
    await guest.getByLabel(/^Password/).fill('a password of some length');
    await guest.getByRole('button', { name: 'Join' }).click();
    await guest.getByRole('table', { name: 'Workflows' }).getByText('Shipping').waitFor();
    await guest.getByRole('link', { name: 'Folder Billing' }).click();
    await guest.getByRole('link', { name: 'Book payments', exact: true }).waitFor();
    expect(await guest.getByRole('button', { name: /^New|^Actions/ }).count()).toBe(0);
    const { data } = await stack.say<PageOf<MemberEntry>>('GET', `/api/workspaces/${stack.workspaceId}/members`);
    expect(data.map(({ name, role }) => [name, role])).toContainEqual(['Grace', 'viewer']);
  });
});

describe('the settings of a workspace', () => {
  it('name its error workflow, and no other again', async () => {
    const { page, complaints } = await openWindow(browser, stack.url);
    const read = () => stack.say<WorkspaceEntry>('GET', `/api/workspaces/${stack.workspaceId}`);
    const workflowId = await stack.createWorkflow('Report errors', MANUAL);
    await signIn(page, OWNER);
    await go(page, 'Settings');
    const choose = async (name: string): Promise<void> => {
      await page.getByRole('combobox', { name: 'Error workflow' }).click();
      await page.getByRole('option', { name }).click();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('The settings are saved.').first().waitFor();
    };
    await choose('Report errors');
    await until(async () => (await read()).errorWorkflowId === workflowId, 5_000, 'the error workflow');
    await page.reload();
    const shown = page.getByRole('combobox', { name: 'Error workflow' });
    await until(async () => (await shown.inputValue()) === 'Report errors', 5_000, 'the name of the workflow');
    await choose('No workflow');
    await until(async () => (await read()).errorWorkflowId === null, 5_000, 'no error workflow');
    expect(complaints).toEqual([]);
  });

  it('stay on the screen when the person behind them cannot be read again', async () => {
    const { page } = await openWindow(browser, stack.url);
    await signIn(page, OWNER);
    await go(page, 'Settings');
    const save = page.getByRole('button', { name: 'Save' });
    await save.waitFor();
    await page.route('**/api/auth/me', (route) => route.fulfill({ status: 403, json: { error: 'Not now' } }));
    // Saving reads the person and their workspaces again.
    await save.click();
    await page.getByText('The settings are saved.').waitFor();
    expect([await save.count(), await page.getByText('Not now').count()]).toEqual([1, 0]);
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

  it('are made in each other, and what is made in one lands there; a reload and the way back keep the place', async () => {
    const { page, complaints } = await openWindow(browser, stack.url);
    await signIn(page, OWNER);
    await make(page, 'folder', 'Reports');
    await row(page, 'Folder Reports').press('Enter');
    await title(page, 'Reports');
    await page.getByText('This folder is empty').waitFor();
    await make(page, 'folder', 'Weekly');
    await row(page, 'Folder Weekly').click();
    await title(page, 'Weekly');
    await page.reload();
    await title(page, 'Weekly');
    await make(page, 'workflow', 'Count parcels');
    await page.waitForURL(/workflows\/[\w-]+$/);
    await page.goBack();
    await row(page, 'Count parcels').waitFor();
    await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Reports' }).click();
    await title(page, 'Reports');
    await page.goBack();
    await title(page, 'Weekly');
    expect(complaints).toEqual([]);
  });

  it('are looked through, in one with those in it or everywhere', async () => {
    const { page } = await openWindow(browser, stack.url);
    await signIn(page, OWNER);
    const search = page.getByLabel('Search by name or description');
    await search.fill('parcels');
    await row(page, 'Reports / Weekly').waitFor();
    await row(page, 'Reports / Weekly').click();
    await title(page, 'Weekly');
    expect(await search.inputValue()).toBe('');
    await page.getByRole('link', { name: 'Reports' }).click();
    await title(page, 'Reports');
    await search.fill('C');
    await row(page, 'Count parcels').waitFor();
    expect(await row(page, 'Check the stock').count()).toBe(0);
    await page.getByText('Everywhere').click();
    await row(page, 'Check the stock').waitFor();
    await page.reload();
    await row(page, 'Check the stock').waitFor();
    expect(await search.inputValue()).toBe('C');
  });

  it('take a workflow, are renamed and moved, and leave their workflows when they go; all by the keyboard', async () => {
    const { page, complaints } = await openWindow(browser, stack.url);
    const loose = await stack.createWorkflow('Loose', MANUAL);
    await signIn(page, OWNER);
    await page.getByRole('button', { name: 'Actions for Loose' }).press('Enter');
    await page.getByRole('menuitem', { name: 'Rename' }).waitFor();
    expect(await issuesOfAccess(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await dialog(page).waitFor();
    await page.keyboard.press('Escape');
    await dialog(page).waitFor({ state: 'detached' });
    expect(await page.evaluate('document.activeElement.ariaLabel')).toBe('Actions for Loose');
    await choose(page, 'Loose', 'Move');
    await pick(page, 'Reports / Weekly');
    expect(await issuesOfAccess(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.getByText('Loose is now in Reports / Weekly.').waitFor();
    await row(page, 'Loose').waitFor({ state: 'detached' });
    expect(await folderOf(loose)).toMatch(/^[\da-f-]{36}$/);

    await choose(page, 'Reports', 'Rename');
    await dialog(page).getByLabel('Name').fill('Figures');
    await page.keyboard.press('Enter');
    await row(page, 'Folder Figures').waitFor();
    await dialog(page).waitFor({ state: 'detached' });
    await choose(page, 'Figures', 'Move');
    await page.getByRole('option', { name: 'Billing', exact: true }).waitFor();
    expect(await page.getByRole('option', { name: /Figures|Weekly/ }).count()).toBe(0);
    await pick(page, 'Warehouse');
    await page.keyboard.press('Enter');
    await row(page, 'Folder Figures').waitFor({ state: 'detached' });
    await row(page, 'Folder Warehouse').press('Enter');

    await choose(page, 'Figures', 'Delete');
    await dialog(page)
      .getByText(
        'Its subfolder is deleted, too. No workflow is deleted. All its workflows move to the top level, managed ones until',
      )
      .waitFor();
    expect(await issuesOfAccess(page)).toEqual([]);
    await dialog(page).getByRole('button', { name: 'Delete' }).press('Enter');
    await page.getByText('This folder is empty').waitFor();
    await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link').press('Enter');
    await row(page, 'Loose').waitFor();
    expect(await folderOf(loose)).toBeNull();
    await choose(page, 'Loose', 'Delete');
    await dialog(page).getByRole('button', { name: 'Delete' }).press('Enter');
    await row(page, 'Loose').waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
  });

  it('are refused kindly where things have changed, and said to be gone where they are', async () => {
    const { page } = await openWindow(browser, stack.url);
    await signIn(page, OWNER);
    const gone = await createFolder('Gone');
    await page.reload();
    await choose(page, 'Warehouse', 'Move');
    await page.getByRole('option', { name: 'Gone' }).click();
    await stack.say('DELETE', `/api/folders/${gone}`);
    await dialog(page).getByRole('button', { name: 'Move' }).click();
    await dialog(page).getByText('was moved or deleted in the meantime').waitFor();
    await page.goto(`/w/${stack.workspaceId}/workflows?folderId=${gone}`);
    await page.getByRole('heading', { name: 'Folder not found' }).waitFor();
  });
});

describe('the fleet', () => {
  it('shows the worker that takes runs', async () => {
    const { page } = await openWindow(browser, stack.url);
    await signIn(page, OWNER);
    await go(page, 'Fleet');
    await page.getByRole('table', { name: 'Workers' }).getByText('Ready').waitFor();
    await until(async () => (await page.getByText('Accepting runs').locator('..').textContent())?.endsWith('1'));
    await page.getByRole('img', { name: /^Waiting in the queue in the last ten minutes: now 0/ }).waitFor();
  });

  it('shows how the runs of a period went, and the slowest workflows', async () => {
    const id = await stack.createWorkflow('Fails', {
      nodes: [
        { id: 'start', type: 'trigger.manual' },
        { id: 'fail', type: 'fail', parameters: { message: 'no' } },
      ],
      edges: [{ source: 'start', target: 'fail' }],
    });
    const run = await stack.start(id);
    await until(async () => (await stack.say<Execution>('GET', `/api/executions/${run}`)).status === 'failed');
    const { page, complaints } = await openWindow(browser, stack.url);
    await signIn(page, OWNER);
    await go(page, 'Fleet');
    await page.getByText('Last hour').click();
    await page.getByRole('img', { name: /^Runs of the last hour/ }).waitFor();
    await page.getByRole('table', { name: 'Slowest workflows' }).getByRole('link', { name: 'Fails' }).click();
    await page.waitForURL(`**/runs?workflowId=${id}`);
    expect(complaints).toEqual([]);
  });
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

describe('a template', () => {
  it('is what a new workflow starts with, and says which variables it needs', async () => {
    const { page, complaints } = await openWindow(browser, stack.url);
    await signIn(page, OWNER);
    await page.getByRole('button', { name: 'New workflow' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Start with').fill('escalate');
    await page.getByRole('option', { name: 'Escalate a decision' }).click();
    await dialog.getByText('chatUrl: Announces the second question').waitFor();
    expect(await dialog.getByLabel('Name').inputValue()).toBe('Escalate a decision');
    expect(await issuesOfAccess(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.locator('.react-flow__node', { hasText: 'Second question' }).waitFor();
    const { data } = await stack.say<PageOf<Workflow>>(
      'GET',
      `/api/workflows?workspaceId=${stack.workspaceId}&search=escalate`,
    );
    expect(data).toMatchObject([{ name: 'Escalate a decision' }]);
    expect(complaints).toEqual([]);
  });
});
