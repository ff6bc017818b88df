import { describe, expect, it, jest } from '@jest/globals';
import { screen, waitFor, within } from '@testing-library/react';
import { ADA, openConsole, prepareConsole, reload, WORKSPACE } from '../testing/console.tsx';
import { example } from '../testing/contract.ts';
import { answer, pageOf, refusal } from '../testing/fake-api.ts';
import { keepRuns } from '../testing/fake-runs.ts';
import { definitionOf, keepWorkflows } from '../testing/fake-workflows.ts';
import { choose, click, enter, fill, user } from '../testing/hands.ts';

prepareConsole();

const areas = () => within(screen.getByRole('navigation', { name: 'Areas' }));

describe('the navigation', () => {
  it('collapses to icons with tooltips, also after a reload, and not on a phone', async () => {
    answer('GET /api/variables', () => pageOf([]));
    await openConsole('/variables');
    await enter(await screen.findByRole('button', { name: 'Collapse navigation' }));
    reload();
    await screen.findByRole('button', { name: 'Expand navigation' });
    await user.hover(areas().getByRole('link', { name: 'Failures' }));
    await screen.findByRole('tooltip', { name: 'Failures' });
    // As on a phone, whose screen is narrower than any breakpoint.
    const onDesktop = window.matchMedia;
    jest.spyOn(window, 'matchMedia').mockImplementation((media) => {
      const list = onDesktop(media);
      Object.defineProperty(list, 'matches', { value: !media.includes('min-width') });
      return list;
    });
    reload();
    const link = await screen.findByRole('link', { name: 'Failures' });
    expect(link.dataset.collapsed).toBe('false');
    expect(screen.queryByRole('button', { name: /^(Expand|Collapse) navigation$/ })).toBeNull();
  });

  it('leads from a workflow to its executions, to one of them, and back', async () => {
    const workflows = keepWorkflows();
    const [id, other] = ['Reminder', 'Other'].map((name) => workflows.add({ name, definition: definitionOf() }));
    const runs = keepRuns();
    const [run] = [id, other].map((of) => runs.add(workflows.get(of!).workflow));
    await openConsole(`/workflows/${id}`);
    const tabs = async () => within(await screen.findByRole('navigation', { name: 'Workflow' }));
    await click('link', 'Executions', await tabs());
    await screen.findByRole('heading', { name: 'Reminder' });
    const rows = within(await screen.findByRole('table', { name: 'Runs' })).getAllByRole('link');
    expect(rows.map(({ textContent }) => textContent)).toEqual([run]);
    const [current] = (await tabs()).getAllByRole('link', { current: 'page' });
    expect(current!.textContent).toBe('Executions');
    await user.click(rows[0]!);
    await waitFor(() => expect(location.pathname).toMatch(new RegExp(`/runs/${run}$`)));
    const path = async () => within(await screen.findByRole('navigation', { name: 'Breadcrumb' }));
    await (await path()).findByRole('link', { name: 'Reminder' });
    await click('link', 'Executions', await path());
    await waitFor(() => expect(location.pathname).toMatch(/\/executions$/));
    await click('link', 'Editor', await tabs());
    await screen.findByRole('region', { name: 'Graph' });
    await click('link', 'Workflows', await path());
    await waitFor(() => expect(location.pathname).toMatch(/\/workflows$/));
  });

  it('creates another workspace from the switch, and opens it', async () => {
    answer('GET /api/variables', () => pageOf([]));
    keepWorkflows();
    const created: unknown[] = [];
    answer('POST /api/workspaces', ({ body }) => {
      created.push(body);
      const workspace = { ...example('POST /api/workspaces'), ...body };
      const entry = { workspaceId: workspace.id, name: workspace.name, role: 'owner' as const };
      answer('GET /api/auth/me', () => ({ user: ADA, workspaces: [{ ...WORKSPACE, role: 'owner' }, entry] }));
      return workspace;
    });
    await openConsole('/variables');
    await choose('Workspace', 'New workspace…');
    const creation = within(await screen.findByRole('dialog'));
    await fill(/^Workspace name/, 'Warehouse', creation);
    await click('button', 'Create workspace', creation);
    await waitFor(() => expect(location.pathname).toBe(`/w/${example('POST /api/workspaces').id}/workflows`));
    expect(screen.getByRole<HTMLInputElement>('combobox', { name: 'Workspace' }).value).toBe('Warehouse');
    expect(created).toEqual([{ name: 'Warehouse' }]);
  });

  it('stays at an address that is wrong, and a missing run leads on', async () => {
    answer('GET /api/executions/:id', () => refusal('NOT_FOUND', 'No such run'));
    answer('GET /api/executions/:id/events', () => refusal('NOT_FOUND', 'No such run'));
    await openConsole('/nothing-here');
    await screen.findByRole('heading', { name: 'Page not found' });
    expect(areas().getByRole('link', { name: 'Workflows' })).toBeTruthy();
    await openConsole('/runs/0198a6f0-0000-7000-8000-0000000000aa');
    const alert = within(await screen.findByRole('alert'));
    await alert.findByText('No such run');
    expect(alert.getByRole('link', { name: 'Go to the home page' })).toBeTruthy();
    expect(alert.queryByRole('button', { name: 'Try again' })).toBeNull();
  });
});
