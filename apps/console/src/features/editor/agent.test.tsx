import type { Definition } from '@deckhand/contracts';
import { beforeEach, expect, it } from '@jest/globals';
import { screen, waitFor } from '@testing-library/react';
import { prepareConsole } from '../../testing/console.tsx';
import { control, hasNodes, nodeOf, openEditor, selectNode } from '../../testing/editor.ts';
import { type FakeWorkflows, keepWorkflows } from '../../testing/fake-workflows.ts';
import { user } from '../../testing/hands.ts';

prepareConsole();

const CLERK: Definition = {
  nodes: [
    { id: 'start', type: 'trigger.manual', name: 'Start', position: { x: 0, y: 0 } },
    { id: 'clerk', type: 'agent', name: 'Clerk', parameters: { model: 'm', prompt: 'p' }, position: { x: 280, y: 0 } },
    { id: 'find', type: 'set', name: 'Find order', parameters: { fields: {} }, position: { x: 560, y: 120 } },
    { id: 'refund', type: 'set', name: 'Refund', parameters: { fields: {} }, position: { x: 560, y: 280 } },
    { id: 'reply', type: 'set', name: 'Reply', parameters: { fields: {} }, position: { x: 840, y: 0 } },
  ],
  edges: [
    { source: 'start', target: 'clerk' },
    { source: 'clerk', sourceHandle: 'body', target: 'find' },
    { source: 'clerk', sourceHandle: 'body', target: 'refund' },
    { source: 'clerk', sourceHandle: 'done', target: 'reply' },
  ],
};

let workflows: FakeWorkflows;
let id: string;

beforeEach(() => {
  workflows = keepWorkflows();
  id = workflows.add({ name: 'Mails', definition: CLERK });
});

it('the canvas shows an agent with a frame around its tools', async () => {
  await openEditor(id);
  for (const name of ['Clerk', 'Find order', 'Refund', 'Reply']) expect(await nodeOf(name)).toBeDefined();
  const [frame, ...others] = screen
    .getAllByText('Clerk')
    .map(({ parentElement }) => parentElement)
    .filter((parent) => parent?.getAttribute('aria-hidden') === 'true' && parent.style.transform !== '');
  expect(others).toEqual([]);
  // Below the agent and to its right, where the tools are.
  expect(frame?.style.transform).toMatch(/^translate\(5\d\dpx, \d+px\)$/);
});

it('a tool of an agent is deleted, and comes back, without the agent', async () => {
  await openEditor(id);
  await selectNode('Refund');
  await user.keyboard('{Delete}');
  await hasNodes(CLERK.nodes.length - 1);
  await waitFor(() => expect(workflows.get(id).draft?.definition.edges).toHaveLength(CLERK.edges.length - 1));
  await control('z');
  await hasNodes(CLERK.nodes.length);
  expect(await screen.findByRole('button', { name: 'Undo' })).toBeDefined();
});
