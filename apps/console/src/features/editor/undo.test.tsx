import type { Definition } from '@deckhand/contracts';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { prepareConsole } from '../../testing/console.tsx';
import { clip, control, hasNodes, isSaved, nodeOf, openEditor, selectNode } from '../../testing/editor.ts';
import { type FakeWorkflows, keepWorkflows } from '../../testing/fake-workflows.ts';
import { user } from '../../testing/hands.ts';

prepareConsole();

/** A loop with a body of two nodes. */
const ORDERS: Definition = {
  nodes: [
    { id: 'start', type: 'trigger.manual', name: 'Start', position: { x: 0, y: 0 } },
    { id: 'each', type: 'loop', name: 'Each', parameters: { items: '{{ $input }}' }, position: { x: 280, y: 0 } },
    { id: 'price', type: 'set', name: 'Price', parameters: { fields: {} }, position: { x: 560, y: 120 } },
    { id: 'ship', type: 'set', name: 'Ship', parameters: { fields: {} }, position: { x: 840, y: 120 } },
    { id: 'end', type: 'terminal', name: 'End', position: { x: 560, y: 0 } },
  ],
  edges: [
    { source: 'start', target: 'each' },
    { source: 'each', sourceHandle: 'body', target: 'price' },
    { source: 'price', target: 'ship' },
    { source: 'each', sourceHandle: 'done', target: 'end' },
  ],
};

let workflows: FakeWorkflows;
let id: string;

beforeEach(() => {
  workflows = keepWorkflows();
  id = workflows.add({ name: 'Orders', definition: ORDERS });
});

async function open(...names: string[]): Promise<void> {
  await openEditor(id);
  const [first, ...others] = names;
  if (first !== undefined) await selectNode(first);
  await user.keyboard('{Control>}');
  for (const name of others) fireEvent.click(await nodeOf(name));
  await user.keyboard('{/Control}');
}

const draftOf = () => workflows.get(id).draft?.definition;

/** Undoes one step, and expects that the workflow is again the saved one, without a draft. */
async function expectOneStep(): Promise<void> {
  await isSaved('Draft saved');
  await control('z');
  await hasNodes(ORDERS.nodes.length);
  await isSaved('Saved');
  await waitFor(() => expect(draftOf()).toBeUndefined());
  expect(await screen.findByRole('button', { name: 'Undo' })).toHaveProperty('disabled', true);
}

describe('one step undoes', () => {
  it.each([
    ['the deletion of a node', ['Price'], ['start', 'each', 'ship', 'end'], [0, 3]],
    ['the deletion of several nodes', ['Price', 'End'], ['start', 'each', 'ship'], [0]],
    ['the deletion of a container with nodes in it', ['Each'], ['start', 'price', 'ship', 'end'], [2]],
  ])('%s', async (_, selected, nodes, edges) => {
    await open(...selected);
    await user.keyboard('{Delete}');
    await hasNodes(nodes.length);
    await isSaved('Draft saved');
    expect(draftOf()?.nodes.map((node) => node.id)).toEqual(nodes);
    expect(draftOf()?.edges).toEqual(edges.map((index) => ORDERS.edges[index]));
    await expectOneStep();
  });

  it('what was cut', async () => {
    await open('Price', 'Ship');
    clip('cut');
    await hasNodes(3);
    await expectOneStep();
  });
});
