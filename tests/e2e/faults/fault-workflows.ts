import type { Definition } from '@deckhand/contracts';

/** Items of the loop. */
const ITEMS = [1, 2, 3] as const;
/** The node whose first attempt the receiver refuses. */
export const FLAKY = 'flaky';

/** Nodes with effects, each called once per run; inside the loop once per item. */
const CALLS = ['first', FLAKY, 'last'] as const;

/** The schema of the form: each run gets its own number. */
const FORM = { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] };

/** The decisions on a run. */
export type Decision = 'approved' | 'rejected';

function call(url: string, id: string, path: string): Definition['nodes'][number] {
  return {
    id,
    type: 'http',
    parameters: { method: 'POST', url: `${url}/{{ $trigger.n }}/${path}` },
    retry: { maxAttempts: 5, delayMs: 50 },
  };
}

/** The child workflow: a call, a wait, a result. */
export function childDefinition(url: string): Definition {
  return {
    nodes: [
      { id: 'start', type: 'trigger.manual' },
      call(url, 'inner', 'inner'),
      { id: 'rest', type: 'wait', parameters: { seconds: 0.2 } },
      { id: 'end', type: 'terminal', parameters: { body: { n: '{{ $trigger.n }}' } } },
    ],
    edges: [
      { source: 'start', target: 'inner' },
      { source: 'inner', target: 'rest' },
      { source: 'rest', target: 'end' },
    ],
  };
}

/** Calls with effects, a loop, a node whose first attempt fails, a wait, an approval, a form, a child and a result. */
export function parentDefinition(url: string, childId: string, settings?: Definition['settings']): Definition {
  return {
    nodes: [
      { id: 'start', type: 'trigger.manual' },
      call(url, 'first', 'first'),
      { id: 'each', type: 'loop', parameters: { items: [...ITEMS], concurrency: 2 } },
      { id: 'pure', type: 'set', parameters: { fields: { item: '{{ $loop.item }}' } } },
      call(url, 'inside', 'inside/{{ $loop.item }}'),
      call(url, FLAKY, FLAKY),
      { id: 'rest', type: 'wait', parameters: { seconds: 0.3 } },
      { id: 'ask', type: 'approval', parameters: { message: 'Go on with {{ $trigger.n }}?' } },
      { id: 'paid', type: 'set', parameters: { fields: { paid: true } } },
      { id: 'refused', type: 'set', parameters: { fields: { paid: false } } },
      { id: 'form', type: 'human', parameters: { title: 'How many?', schema: FORM } },
      {
        id: 'child',
        type: 'workflow',
        parameters: { workflowId: childId, input: { n: '{{ $trigger.n }}' }, waitForCompletion: true },
      },
      call(url, 'last', 'last'),
      {
        id: 'end',
        type: 'terminal',
        parameters: {
          body: {
            n: '{{ $trigger.n }}',
            items: '{{ $nodes.each.output.length }}',
            decision: '{{ $nodes.ask.output.decision }}',
            form: '{{ $nodes.form.output }}',
            child: '{{ $nodes.child.output }}',
          },
        },
      },
    ],
    edges: [
      { source: 'start', target: 'first' },
      { source: 'first', target: 'each' },
      { source: 'each', sourceHandle: 'body', target: 'pure' },
      { source: 'pure', target: 'inside' },
      { source: 'each', sourceHandle: 'done', target: FLAKY },
      { source: FLAKY, target: 'rest' },
      { source: 'rest', target: 'ask' },
      { source: 'ask', sourceHandle: 'approved', target: 'paid' },
      { source: 'ask', sourceHandle: 'rejected', target: 'refused' },
      { source: 'paid', target: 'form' },
      { source: 'refused', target: 'form' },
      { source: 'form', target: 'child' },
      { source: 'child', target: 'last' },
      { source: 'last', target: 'end' },
    ],
    ...(settings === undefined ? {} : { settings }),
  };
}

/** The result of a run without disturbances. */
export function expectedBody(n: number, decision: Decision): object {
  return { n, items: ITEMS.length, decision, form: { count: n }, child: { n } };
}

/** The paths that such a run calls, including those of its child. */
export function expectedPaths(n: number): string[] {
  return [...CALLS, 'inner', ...ITEMS.map((item) => `inside/${item}`)].map((path) => `/${n}/${path}`);
}
