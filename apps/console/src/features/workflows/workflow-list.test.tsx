import { describe, expect, it } from '@jest/globals';
import { screen, waitFor, within } from '@testing-library/react';
import { EARLIER, openConsole, prepareConsole, reload, WORKSPACE } from '../../testing/console.tsx';
import { example } from '../../testing/contract.ts';
import { answer, pageOf, refusal } from '../../testing/fake-api.ts';
import { definitionOf, keepWorkflows } from '../../testing/fake-workflows.ts';
import { click, clickFirst, dialog, enter, fill, isGone, sees, user } from '../../testing/hands.ts';

prepareConsole();

const MANUAL = definitionOf();

/** Text that would run code if it were treated as markup. */
const HOSTILE = '<img src=x onerror="document.title=`owned`"><script>document.title=`owned`</script>';

const row = (name: string) => screen.findByRole('link', { name });
const title = (name: string) => screen.findByRole('heading', { level: 1, name });

/** Chooses from the menu of a row, without a mouse. */
async function choose(of: string, action: string) {
  await enter(await screen.findByRole('button', { name: `Actions for ${of}` }));
  await enter(await screen.findByRole('menuitem', { name: action }));
  return dialog();
}

/** Selects the target of a move by typing. */
async function pick(place: string): Promise<void> {
  await user.type((await dialog()).getByRole('combobox', { name: /^To/ }), place);
  await screen.findByRole('option', { name: place });
  await user.keyboard('{ArrowDown}{Enter}');
}

async function make(what: string, name: string): Promise<void> {
  await clickFirst('button', `New ${what}`);
  await fill(/^Name/, name, await dialog());
  await user.keyboard('{Enter}');
  await isGone('dialog');
}

describe('folders', () => {
  it('are made in each other, and what is made in one lands there; a reload and the way back keep the place', async () => {
    keepWorkflows();
    await openConsole('/workflows');
    await make('folder', 'Reports');
    await enter(await row('Folder Reports'));
    await title('Reports');
    await screen.findByText('This folder is empty');
    await make('folder', 'Weekly');
    await user.click(await row('Folder Weekly'));
    await title('Weekly');
    reload();
    await title('Weekly');
    await make('workflow', 'Count parcels');
    await waitFor(() => expect(location.pathname).toMatch(/workflows\/[\w-]+$/));
    history.back();
    await row('Count parcels');
    await click('link', 'Reports', within(screen.getByRole('navigation', { name: 'Breadcrumb' })));
    await title('Reports');
    history.back();
    await title('Weekly');
  });

  it('are looked through, in one with those in it or everywhere', async () => {
    const workflows = keepWorkflows();
    const reports = workflows.addFolder('Reports');
    const weekly = workflows.addFolder('Weekly', reports.id);
    workflows.add({ name: 'Count parcels', definition: MANUAL, folderId: weekly.id });
    workflows.add({ name: 'Check the stock', definition: MANUAL });
    await openConsole('/workflows');
    const search = () => screen.getByLabelText<HTMLInputElement>('Search by name or description');
    await fill('Search by name or description', 'parcels');
    await user.click(await row('Reports / Weekly'));
    await title('Weekly');
    expect(search().value).toBe('');
    await click('link', 'Reports');
    await title('Reports');
    await fill('Search by name or description', 'C');
    await row('Count parcels');
    expect(screen.queryByRole('link', { name: 'Check the stock' })).toBeNull();
    await user.click(await screen.findByText('Everywhere'));
    await row('Check the stock');
    reload();
    await row('Check the stock');
    expect(search().value).toBe('C');
  });

  it('take a workflow, are renamed and moved, and leave their workflows when they go; all by the keyboard', async () => {
    const workflows = keepWorkflows();
    workflows.addFolder('Weekly', workflows.addFolder('Reports').id);
    workflows.addFolder('Billing');
    workflows.addFolder('Warehouse');
    const loose = workflows.add({ name: 'Loose', definition: MANUAL });
    const folderOf = (id: string) => workflows.get(id).workflow.folderId;
    await openConsole('/workflows');
    await fill('Description', 'Sends what is left', await choose('Loose', 'Description'));
    await user.keyboard('{Control>}{Enter}{/Control}');
    await screen.findByText('Sends what is left');
    await isGone('dialog');
    await choose('Loose', 'Rename');
    await user.keyboard('{Escape}');
    await isGone('dialog');
    await waitFor(() => expect(document.activeElement?.getAttribute('aria-label')).toBe('Actions for Loose'));
    await choose('Loose', 'Move');
    await pick('Reports / Weekly');
    await user.keyboard('{Enter}');
    await screen.findByText('Loose is now in Reports / Weekly.');
    await isGone('link', 'Loose');
    expect(folderOf(loose)).toMatch(/^[\da-f-]{36}$/);

    await fill(/^Name/, 'Figures', await choose('Reports', 'Rename'));
    await user.keyboard('{Enter}');
    await row('Folder Figures');
    await isGone('dialog');
    await choose('Figures', 'Move');
    await click('combobox', /^To/);
    await screen.findByRole('option', { name: 'Billing' });
    expect(screen.queryByRole('option', { name: /Figures|Weekly/ })).toBeNull();
    await pick('Warehouse');
    await user.keyboard('{Enter}');
    await isGone('link', 'Folder Figures');
    await enter(await row('Folder Warehouse'));

    const deletion = await choose('Figures', 'Delete');
    await deletion.findByText(
      /Its subfolder is deleted, too. No workflow is deleted. All its workflows move to the top level, managed ones until/,
    );
    await enter(await deletion.findByRole('button', { name: 'Delete' }));
    await screen.findByText('This folder is empty');
    await enter(within(screen.getByRole('navigation', { name: 'Breadcrumb' })).getByRole('link'));
    await row('Loose');
    expect(folderOf(loose)).toBeNull();
    await enter(await (await choose('Loose', 'Delete')).findByRole('button', { name: 'Delete' }));
    await isGone('link', 'Loose');
    expect(workflows.all).toEqual([]);
  });

  it('are refused kindly where things have changed, and said to be gone where they are', async () => {
    const workflows = keepWorkflows();
    workflows.addFolder('Warehouse');
    workflows.addFolder('Billing');
    const gone = workflows.addFolder('Gone');
    await openConsole('/workflows');
    const move = await choose('Warehouse', 'Move');
    await click('combobox', /^To/, move);
    await click('option', 'Gone');
    workflows.folders.pop();
    answer('PATCH /api/folders/:id', () => refusal('VALIDATION_FAILED'));
    await click('button', 'Move', move);
    await move.findByText(/was moved or deleted in the meantime/);
    await openConsole(`/workflows?folderId=${gone.id}`);
    await screen.findByRole('heading', { name: 'Folder not found' });
  });
});

it('finds a workflow by its name, and shows a hostile name as the text it is', async () => {
  const workflows = keepWorkflows();
  workflows.add({ name: 'Orders', definition: MANUAL });
  workflows.add({ name: HOSTILE, definition: MANUAL });
  await openConsole('/workflows');
  await row(HOSTILE);
  expect(document.title).toBe('Workflows · Deckhand');
  await fill('Search by name or description', 'orde');
  await isGone('link', HOSTILE);
  await row('Orders');
});

it('shows how each workflow is doing, and leads to its failed runs; it is sorted by the API', async () => {
  const workflows = keepWorkflows();
  const [orders] = ['Orders', 'Reports'].map((name) => workflows.add({ name, definition: MANUAL }));
  const asked: URLSearchParams[] = [];
  answer('GET /api/monitoring/activity', ({ query }) => {
    asked.push(query);
    const lastRun = { id: '0198a6f0-0000-7000-8000-0000000000aa', status: 'timeout' as const, startedAt: EARLIER };
    const triggers = ['webhook' as const, 'schedule' as const];
    return { workspaceId: WORKSPACE.workspaceId, data: [{ workflowId: orders!, lastRun, failedRuns: 3, triggers }] };
  });
  await openConsole('/workflows');
  const link = await screen.findByRole('link', { name: '3' });
  const cells = within(link.closest('tr')!).getAllByRole('cell');
  expect(cells.map(({ textContent }) => textContent).slice(0, 6)).toEqual([
    ' Orders',
    '',
    'Draft',
    'Webhook, Schedule',
    expect.stringMatching(/^Timed out/),
    '3',
  ]);
  expect(asked[0]!.get('workflowId')!.split(',')).toHaveLength(2);
  const sorted: (string | null)[] = [];
  answer('GET /api/workflows', ({ query }) => {
    sorted.push(`${query.get('sortBy')} ${query.get('sortOrder')}`);
    return pageOf([]);
  });
  await click('combobox', 'Sort by');
  await click('option', 'Name');
  await waitFor(() => expect(sorted).toContain('name asc'));
  expect(location.search).toBe('?sort=name');
});

it('is not for those who may only look: they change nothing', async () => {
  const workflows = keepWorkflows();
  workflows.add({ name: 'Book payments', definition: MANUAL, folderId: workflows.addFolder('Billing').id });
  await openConsole('/workflows', { role: 'viewer' });
  await user.click(await row('Folder Billing'));
  await row('Book payments');
  expect(screen.queryByRole('button', { name: /^New|^Actions/ })).toBeNull();
});

it('leaves to publishers what runs when an active workflow fails', async () => {
  const workflows = keepWorkflows();
  workflows.add({ name: 'Nightly', definition: MANUAL, status: 'active' });
  for (const [role, isOffered] of [
    ['author', false],
    ['editor', true],
  ] as const) {
    await openConsole('/workflows', { role });
    await click('button', 'Actions for Nightly');
    await screen.findByRole('menuitem', { name: 'Description' });
    expect(screen.queryByRole('menuitem', { name: 'Error workflow' }) !== null).toBe(isOffered);
  }
});

it('duplicates a workflow, and has the list of its activations', async () => {
  const workflows = keepWorkflows();
  workflows.add({ name: 'Nightly', definition: MANUAL, status: 'active' });
  const [entry] = example('GET /api/workflows/:id/activations').data;
  answer('GET /api/workflows/:id/activations', () => ({
    ...pageOf([{ ...entry!, status: 'active' as const, activeVersionNumber: 1 }]),
    nextCursor: null,
  }));
  await openConsole('/workflows');
  await choose('Nightly', 'Activations');
  await screen.findByRole('cell', { name: 'Version 1 active' });
  await user.keyboard('{Escape}');
  await isGone('dialog');
  await enter(await (await choose('Nightly', 'Duplicate')).findByRole('button', { name: 'Duplicate' }));
  await row('Nightly (copy)');
  expect(workflows.all).toHaveLength(2);
});

it('a template is what a new workflow starts with, and says which variables it needs', async () => {
  const workflows = keepWorkflows();
  await openConsole('/workflows');
  await clickFirst('button', 'New workflow');
  const form = await dialog();
  await fill('Start with', 'escalate', form);
  await click('option', /^Escalate a decision/);
  await sees('chatUrl: Announces the second question', form);
  expect(form.getByLabelText<HTMLInputElement>(/^Name/).value).toBe('Escalate a decision');
  await click('button', 'Create', form);
  await screen.findByText('Second question');
  expect(workflows.all.map(({ workflow: { name } }) => name)).toEqual(['Escalate a decision']);
});

describe('a favorite workflow', () => {
  it('is in the navigation, also after a reload, until it is removed', async () => {
    const id = keepWorkflows().add({ name: 'Orders', definition: MANUAL });
    await openConsole('/workflows');
    await click('button', 'Favorite Orders');
    const favorites = async () => within(await screen.findByRole('navigation', { name: 'Favorites' }));
    await (await favorites()).findByRole('link', { name: 'Orders' });
    reload();
    const link = (await favorites()).getByRole('link', { name: 'Orders' });
    expect(link.getAttribute('href')).toMatch(new RegExp(`/workflows/${id}$`));
    const star = await screen.findByRole('button', { name: 'Favorite Orders', pressed: true });
    await user.click(star);
    await isGone('navigation', 'Favorites');
  });
});
