import { stubSource } from '@deckhand/contracts';
import { expect, it } from '@jest/globals';
import { screen, waitFor, within } from '@testing-library/react';
import { prepareConsole } from '../../testing/console.tsx';
import { nodeForm, nodeOf, openEditor } from '../../testing/editor.ts';
import { answer } from '../../testing/fake-api.ts';
import { keepRuns } from '../../testing/fake-runs.ts';
import { definitionOf, keepWorkflows } from '../../testing/fake-workflows.ts';
import { click } from '../../testing/hands.ts';

prepareConsole();

const REASON = '"Tell us" (n8n-nodes-base.slack) of n8n is not converted: there is no such node here: slack';
const AT = { position: { x: 300, y: 0 } };

it('marks what an import left to do on the canvas, and lists it until it is dismissed', async () => {
  const workflows = keepWorkflows();
  keepRuns((of) => workflows.get(of).workflow);
  const definition = definitionOf(
    { id: 'tell_us', type: 'code', name: 'Tell us', parameters: { source: stubSource('{}', REASON) }, ...AT },
    { id: 'send', type: 'set', name: 'Send', parameters: { fields: {} }, ...AT },
    { id: 'plain', type: 'set', name: 'Plain', parameters: { fields: {} }, ...AT },
  );
  const id = workflows.add({ name: 'Orders', definition, hasImportReport: true });
  const task = (level: 'manual' | 'review', message: string, name: string, nodeId: string) => ({
    ...{ level, message, done: false },
    nodes: [{ name, nodeIds: [nodeId], done: false }],
  });
  answer('GET /api/workflows/:id/import-report', () => ({
    importedAt: '2026-11-27T20:00:00.000Z',
    counts: { converted: 1, review: 1, manual: 2 },
    tasks: [
      task('manual', 'there is no such node here: slack', 'Tell us', 'tell_us'),
      task('manual', 'a node with models, tools or memories', 'Agent', 'agent'),
      task('review', 'choose a credential', 'Send', 'send'),
    ],
    omittedTasks: 0,
    remarks: ['has the tags shop, which are left out'],
  }));
  answer('DELETE /api/workflows/:id/import-report', () => {
    workflows.change(id, { hasImportReport: false });
    return undefined;
  });
  await openEditor(id);

  const stub = within(await nodeOf('Tell us'));
  await stub.findByRole('img', { name: REASON });
  const review = within(await nodeOf('Send'));
  await review.findByRole('img', { name: 'choose a credential' });
  expect(within(await nodeOf('Plain')).queryByRole('img', { name: /./ })).toBeNull();

  // The agent is not there any more.
  const summary = await screen.findByText('Imported from n8n: 2 to do, 1 done');
  summary.click();
  const levels = [...document.querySelectorAll('details li strong')].map((each) => each.textContent);
  expect(levels).toEqual(['Manual', 'Done', 'Review']);
  await screen.findByText('The workflow has the tags shop, which are left out.');
  await click('button', 'Send');
  await (await nodeForm()).findByDisplayValue('Send');

  await click('button', 'Dismiss for all members');
  await waitFor(() => expect(screen.queryByText(/Imported from n8n/)).toBeNull());
  await waitFor(async () => expect(within(await nodeOf('Send')).queryByRole('img', { name: /credential/ })).toBeNull());
  await stub.findByRole('img', { name: REASON });
});
