import { describe, expect, it } from '@jest/globals';
import { screen, waitFor, within } from '@testing-library/react';
import { openConsole, prepareConsole } from '../testing/console.tsx';
import { selectNode } from '../testing/editor.ts';
import { answer, pageOf } from '../testing/fake-api.ts';
import { keepRuns } from '../testing/fake-runs.ts';
import { definitionOf, keepWorkflows } from '../testing/fake-workflows.ts';
import { dialog, fill, isGone, user } from '../testing/hands.ts';

prepareConsole();

/** Keeps two workflows; one of them has a run. */
function keepParcels() {
  const workflows = keepWorkflows();
  const id = workflows.add({ name: 'Weekly parcels', definition: definitionOf() });
  workflows.add({ name: 'Other', definition: definitionOf() });
  const run = keepRuns((of) => workflows.get(of).workflow).add(workflows.get(id).workflow);
  answer('GET /api/failure-groups', () => pageOf([]));
  answer('GET /api/variables', () => pageOf([]));
  return { workflows, id, run };
}

const search = () => dialog('Search');
const write = async (text: string): Promise<void> => fill('Search everything', text, await search());

/** Waits for a result of the search. */
const finds = async (group: string, text: string | RegExp): Promise<HTMLElement> => {
  const options = within(await (await search()).findByRole('group', { name: group }));
  return options.findByText(text);
};

describe('the search', () => {
  it('leads by keyboard to a page, a workflow and a run, also from a field', async () => {
    const { id, run } = keepParcels();
    await openConsole('/workflows');
    await screen.findByRole('link', { name: 'Weekly parcels' });
    await user.keyboard('{Control>}k{/Control}');
    await finds('Pages', 'Failures');
    await finds('Recent runs', run);
    await write('failur');
    await user.keyboard('{Enter}');
    await waitFor(() => expect(location.pathname).toMatch(/\/failures$/));

    await user.keyboard('{Control>}k{/Control}');
    await write('PARCEL');
    await finds('Workflows', 'Weekly parcels');
    await user.keyboard('{Enter}');
    await waitFor(() => expect(location.pathname).toMatch(new RegExp(`/workflows/${id}$`)));

    const form = await selectNode('start');
    await user.click(form.getByLabelText('Name'));
    await user.keyboard('{Control>}k{/Control}');
    await write(run);
    await finds('Run', 'Run of Weekly parcels');
    await user.keyboard('{Enter}');
    await waitFor(() => expect(location.pathname).toMatch(new RegExp(`/runs/${run}$`)));

    await user.keyboard('{Control>}k{/Control}');
    await write('zebra');
    await (await search()).findByText('Nothing is found in this workspace.');
    await user.keyboard('{Escape}');
    await isGone('dialog', 'Search');
  });

  it('creates a workflow from any page', async () => {
    const { workflows } = keepParcels();
    await openConsole('/variables');
    const [button] = await screen.findAllByRole('button', { name: /^Search/ });
    await user.click(button!);
    await write('new work');
    await user.click(await finds('Actions', 'New workflow'));
    await fill(/^Name/, 'From variables', await dialog('New workflow'));
    await user.keyboard('{Enter}');
    await screen.findByRole('heading', { name: 'From variables' });
    expect(workflows.all.map(({ workflow: { name } }) => name)).toContain('From variables');
  });
});

describe('the shortcuts', () => {
  it('are listed by ?, except while a question mark is typed', async () => {
    keepParcels();
    await openConsole('/runs');
    const field = await screen.findByLabelText<HTMLInputElement>('Search', { selector: 'input' });
    await user.type(field, 'a?');
    expect(field.value).toBe('a?');
    expect(screen.queryByRole('dialog')).toBeNull();
    await user.click(screen.getByRole('heading', { name: 'Runs' }));
    await user.keyboard('{Shift>}?{/Shift}');
    await (await dialog('Keyboard shortcuts')).findByText('run the workflow');
  });
});
