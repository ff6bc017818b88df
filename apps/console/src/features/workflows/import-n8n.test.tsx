import { expect, it } from '@jest/globals';
import { waitFor } from '@testing-library/react';
import { connect, importJson, node, START } from '../../../../../tests/harness/import-n8n.ts';
import { loadNodeTypes } from '../../../../../packages/nodes/src/load-node-types.ts';
import { openConsole, prepareConsole } from '../../testing/console.tsx';
import { nodeOf } from '../../testing/editor.ts';
import { answer } from '../../testing/fake-api.ts';
import { keepRuns } from '../../testing/fake-runs.ts';
import { keepWorkflows } from '../../testing/fake-workflows.ts';
import { click, dialog, sees, user } from '../../testing/hands.ts';

prepareConsole();

const ORDERS = {
  name: 'Orders of n8n',
  nodes: [START, node('Tell us', 'telegram', { text: 'Done' })],
  connections: connect('Start > Tell us'),
  settings: { executionOrder: 'v1' },
};

it('imports a workflow of n8n from a file, says what became of its nodes, and opens it', async () => {
  const workflows = keepWorkflows();
  keepRuns();
  const nodeTypes = await loadNodeTypes();
  answer('POST /api/workflows/import/n8n', async ({ body }) => {
    const { name, definition, notes, tasks, remarks } = await importJson(body.workflow, nodeTypes);
    const { workflow } = workflows.get(workflows.add({ name, definition }));
    return {
      ...workflow,
      warnings: [],
      notes: notes.map((note) => ({ ...note, nodeIds: [...note.nodeIds], messages: [...note.messages] })),
      tasks: tasks.map((task) => ({ ...task, nodes: [...task.nodes] })),
      remarks: [...remarks],
    };
  });
  await openConsole('/workflows');
  await click('button', 'Import from n8n');
  const form = await dialog();
  const choose = async (name: string, text: string): Promise<void> => {
    const field = document.querySelector<HTMLInputElement>('input[type=file]');
    await user.upload(field!, new File([text], name, { type: 'application/json' }));
    await click('button', 'Import', form);
  };
  await choose('broken.json', '{"nodes":');
  await form.findByText(/The file has no JSON object/);
  await choose('orders.json', JSON.stringify(ORDERS));
  await sees('1 converted, 0 to review, 1 manual.', form);
  await form.findByRole('cell', { name: 'there is no such node here: telegram' });
  await click('button', 'Open the workflow', form);
  await nodeOf('Tell us');
  await waitFor(() => expect(document.title).toContain('Orders of n8n'));
});
