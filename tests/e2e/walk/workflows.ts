import type { Definition } from '@deckhand/contracts';

type Node = Definition['nodes'][number];

/** A workflow for clients, and its nodes that people act on. */
export interface WalkedWorkflow {
  readonly name: string;
  readonly definition: Definition;
  readonly approvals: readonly string[];
  readonly forms: readonly string[];
  /** The last call of every run that succeeds, whatever was decided. */
  readonly lastCall: string | null;
}

/** The choices. After `rejected` a run fails. */
export const CHOICES = ['approved', 'rejected', 'later'] as const;

const start: Node = { id: 'start', type: 'trigger.manual' };
const approval = (id: string): Node => ({
  id,
  type: 'approval',
  parameters: { message: 'Well?', choices: [...CHOICES] },
});
const form: Node = {
  id: 'form',
  type: 'human',
  parameters: {
    title: 'How many?',
    schema: { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] },
  },
};
const wait = (id: string, seconds: number): Node => ({ id, type: 'wait', parameters: { seconds } });

/** Calls `/<run>/<path>`: the path contains the decision, the submitted data, or the item. */
function call(receiverUrl: string, id: string, path: string): Node {
  return { id, type: 'http', parameters: { url: `${receiverUrl}/{{ $execution.id }}/${path}` } };
}

/** A call for every choice of an approval. */
function outcomes(receiverUrl: string, ask: string): Pick<Definition, 'nodes' | 'edges'> {
  return {
    nodes: CHOICES.map((choice) => call(receiverUrl, `${ask}-${choice}`, `${ask}/${choice}`)),
    edges: CHOICES.map((choice) => ({ source: ask, sourceHandle: choice, target: `${ask}-${choice}` })),
  };
}

/** The workflow that another one starts and waits for. */
export function childWorkflow(receiverUrl: string): WalkedWorkflow {
  const { nodes, edges } = outcomes(receiverUrl, 'ask');
  const refuse: Node = { id: 'refuse', type: 'fail', parameters: { message: 'no' } };
  const definition: Definition = {
    nodes: [start, approval('ask'), ...nodes, refuse],
    edges: [{ source: 'start', target: 'ask' }, ...edges, { source: 'ask-rejected', target: 'refuse' }],
  };
  return { name: 'an approval', definition, approvals: ['ask'], forms: [], lastCall: null };
}

/** The other workflows. @param childId the saved `childWorkflow`. */
export function otherWorkflows(receiverUrl: string, childId: string): WalkedWorkflow[] {
  const asked = outcomes(receiverUrl, 'ask');
  const others = outcomes(receiverUrl, 'other');
  const filled = call(receiverUrl, 'filled', 'form/{{ $nodes.form.output.count }}');
  const end = call(receiverUrl, 'end', 'end/1');
  const child = childWorkflow(receiverUrl);
  return [
    {
      ...child,
      name: 'an approval against the clock',
      definition: { ...child.definition, settings: { timeoutSeconds: 2 } },
    },
    {
      name: 'a form',
      definition: {
        nodes: [start, form, filled, end],
        edges: [
          { source: 'start', target: 'form' },
          { source: 'form', target: 'filled' },
          { source: 'filled', target: 'end' },
        ],
      },
      approvals: [],
      forms: ['form'],
      lastCall: 'end/1',
    },
    {
      name: 'a loop and a wait',
      definition: {
        nodes: [
          start,
          { id: 'each', type: 'loop', parameters: { items: [1, 2, 3], concurrency: 2 } },
          call(receiverUrl, 'inside', 'inside/{{ $loop.item }}'),
          wait('rest', 0.1),
          end,
        ],
        edges: [
          { source: 'start', target: 'each' },
          { source: 'each', sourceHandle: 'body', target: 'inside' },
          { source: 'each', sourceHandle: 'done', target: 'rest' },
          { source: 'rest', target: 'end' },
        ],
      },
      approvals: [],
      forms: [],
      lastCall: 'end/1',
    },
    {
      name: 'four branches',
      definition: {
        nodes: [
          start,
          approval('ask'),
          approval('other'),
          form,
          wait('rest', 0.2),
          call(receiverUrl, 'rested', 'rested/1'),
          ...asked.nodes,
          ...others.nodes,
          filled,
          { id: 'join', type: 'merge', parameters: { mode: 'object' } },
          end,
        ],
        edges: [
          ...['ask', 'other', 'form', 'rest'].map((target) => ({ source: 'start', target })),
          ...asked.edges,
          ...others.edges,
          { source: 'form', target: 'filled' },
          { source: 'rest', target: 'rested' },
          ...['ask', 'other'].flatMap((ask) =>
            CHOICES.map((choice) => ({ source: `${ask}-${choice}`, target: 'join' })),
          ),
          { source: 'filled', target: 'join' },
          { source: 'rested', target: 'join' },
          { source: 'join', target: 'end' },
        ],
      },
      approvals: ['ask', 'other'],
      forms: ['form'],
      lastCall: 'end/1',
    },
    {
      name: 'another workflow',
      definition: {
        nodes: [
          start,
          { id: 'child', type: 'workflow', parameters: { workflowId: childId, waitForCompletion: true } },
          end,
        ],
        edges: [
          { source: 'start', target: 'child' },
          { source: 'child', target: 'end' },
        ],
      },
      approvals: [],
      forms: [],
      lastCall: 'end/1',
    },
  ];
}
