import { expect, it } from '@jest/globals';
import { openConsole, prepareConsole } from '../../testing/console.tsx';
import { definitionOf, keepWorkflows } from '../../testing/fake-workflows.ts';
import { click, dialog, sees } from '../../testing/hands.ts';
import { keepRuns } from '../../testing/fake-runs.ts';

prepareConsole();

it.each(['', '/executions'])('a workflow says how code starts it, at its page %s', async (page) => {
  const workflows = keepWorkflows();
  keepRuns();
  const id = workflows.add({ name: 'Nightly', definition: definitionOf() });
  await openConsole(`/workflows/${id}${page}`);
  await click('button', 'Use from code');
  const shown = await dialog();
  await sees(`npm install ${location.origin}/downloads/deckhand-sdk.tgz`, shown);
  for (const label of ['Program', 'Command line', 'curl']) {
    expect(shown.getByLabelText(label).textContent).toContain(id);
    expect(shown.getByRole('button', { name: `Copy: ${label}` })).toBeTruthy();
  }
});
