import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTester, type Tester } from './tester.ts';

let tester: Tester;

beforeAll(async () => {
  tester = await createTester();
});
afterAll(() => tester.close());

const START = { id: 'start', type: 'trigger.manual' };

function chainOf(...nodes: readonly { readonly id: string }[]) {
  const all = [START, ...nodes];
  return { nodes: all, edges: all.slice(1).map(({ id }, index) => ({ source: all[index]?.id, target: id })) };
}

/** @returns the failures of one test. */
async function failuresOf(definition: unknown, test: object): Promise<readonly string[]> {
  const [result] = await tester.test(definition, [{ name: 'a test', ...test }]);
  return result?.failures ?? ['no result'];
}

const http = (rest: object = {}) => ({ id: 'call', type: 'http', parameters: { url: 'http://127.0.0.1:1/' }, ...rest });

it('warns of a definition as saving it would, and not of one that is not valid', () => {
  const check = { id: 'check', type: 'if', parameters: { condition: '1 > 2' } };
  expect(tester.warnings(chainOf(check))).toMatchObject([{ code: 'CONDITION_IS_TEXT', nodeId: 'check' }]);
  expect(tester.warnings(chainOf({ ...check, id: 'a b' }))).toEqual([]);
});

describe('a test of a workflow', () => {
  it('runs waits and retries on a clock of its own', async () => {
    const definition = chainOf(
      { id: 'rest', type: 'wait', parameters: { seconds: 86_400 } } as { id: string },
      http({ retry: { maxAttempts: 4, delayMs: 60_000, factor: 1 } }),
      { id: 'time', type: 'set', parameters: { fields: { now: '{{ $now }}' } } } as { id: string },
    );
    const busy = { error: { message: 'busy' } };
    const test = {
      mocks: { call: [busy, busy, { output: { status: 200 } }] },
      expect: { path: ['start', 'rest', 'call', 'time'], seconds: 86_520, outputs: { call: { status: 200 } } },
    };
    expect(await failuresOf(definition, test)).toEqual([]);
    const dated = {
      ...test,
      now: '2030-05-01T00:00Z',
      expect: { outputs: { time: { now: '2030-05-02T00:02:00.000Z' } } },
    };
    expect(await failuresOf(definition, dated)).toEqual([]);
    const wrong = { ...test, expect: { seconds: 1 } };
    expect(await failuresOf(definition, wrong)).toEqual(['the run took 86520 s by its own clock, and not 1 s']);
  });

  it('fails for an agent without a mock, and asks no model', async () => {
    const credentialId = '01890a5d-ac96-774b-bcce-b302099a8057';
    const clerk = { id: 'clerk', type: 'agent', credentialId, parameters: { model: 'm', prompt: 'Work.' } };
    const base = chainOf();
    const definition = {
      nodes: [...base.nodes, clerk, http(), { id: 'after', type: 'set', parameters: { fields: {} } }],
      edges: [
        { source: 'start', target: 'clerk' },
        { source: 'clerk', sourceHandle: 'body', target: 'call' },
        { source: 'clerk', sourceHandle: 'done', target: 'after' },
      ],
    };
    const missing = 'node clerk has an effect outside, and no mock';
    expect(await failuresOf(definition, { expect: { status: 'failed' } })).toEqual([missing]);
    const mocks = { clerk: { output: { text: 'Done.' } } };
    expect(await failuresOf(definition, { mocks, expect: { outputs: { clerk: { text: 'Done.' } } } })).toEqual([]);
  });

  it('fails for a node that would have an effect, even where the workflow handles the error', async () => {
    const missing = 'node call has an effect outside, and no mock';
    expect(await failuresOf(chainOf(http({ onError: 'continue' })), {})).toEqual([missing]);
    expect(await failuresOf(chainOf(http()), { expect: { status: 'failed' } })).toEqual([missing]);
    expect(
      await failuresOf(chainOf(http({ mock: { status: 204 } })), { expect: { outputs: { call: { status: 204 } } } }),
    ).toEqual([]);
    expect(await failuresOf(chainOf(http()), { mocks: { cal: { output: 1 } } })).toEqual([
      'there is no node cal to mock',
    ]);
  });

  it('answers waits for people, events and other runs, in time or too late', async () => {
    const ask = { id: 'ask', type: 'approval', parameters: { message: 'Well?', timeoutSeconds: 60 } };
    const definition = {
      nodes: [START, ask, { id: 'yes', type: 'set', parameters: { fields: {} } }],
      edges: [
        { source: 'start', target: 'ask' },
        { source: 'ask', sourceHandle: 'approved', target: 'yes' },
      ],
    };
    const answered = (after: number) => ({ mocks: { ask: { answer: { decision: 'approved' }, after } } });
    expect(
      await failuresOf(definition, { ...answered(59), expect: { path: ['start', 'ask', 'yes'], seconds: 59 } }),
    ).toEqual([]);
    const late = { status: 'failed', error: { node: 'ask', code: 'APPROVAL_TIMEOUT' }, seconds: 60 };
    expect(await failuresOf(definition, { ...answered(61), expect: late })).toEqual([]);
    expect(await failuresOf(definition, { expect: late })).toEqual([]);
    const open = { ...definition, nodes: [START, { ...ask, parameters: { message: 'Well?' } }, definition.nodes[2]] };
    expect(await failuresOf(open, { expect: { status: 'waiting' } })).toEqual([]);
    expect(await failuresOf(open, {})).toEqual(['the run ended as waiting, and not as success']);
    const parameters = { workflowId: '00000000-0000-7000-8000-000000000000' };
    const started = chainOf({ id: 'sub', type: 'workflow', parameters } as { id: string });
    const end = { answer: { status: 'success', result: { body: { id: 3 } } }, after: 5 };
    expect(
      await failuresOf(started, { mocks: { sub: end }, expect: { outputs: { sub: { id: 3 } }, seconds: 5 } }),
    ).toEqual([]);
    expect(await failuresOf(started, { expect: { status: 'failed' } })).toHaveLength(1);
  });

  it('runs scripts and loops as they are', async () => {
    const definition = {
      nodes: [
        START,
        { id: 'each', type: 'loop', parameters: { items: '{{ $trigger.items }}' } },
        { id: 'double', type: 'code', parameters: { source: 'return $loop.item * 2;' } },
        { id: 'end', type: 'terminal', parameters: { body: '{{ $nodes.each.output }}' } },
      ],
      edges: [
        { source: 'start', target: 'each' },
        { source: 'each', sourceHandle: 'body', target: 'double' },
        { source: 'each', sourceHandle: 'done', target: 'end' },
      ],
    };
    const expected = { path: ['start', 'double', 'double', 'each', 'end'], result: [2, 4] };
    expect(await failuresOf(definition, { input: { items: [1, 2] }, expect: expected })).toEqual([]);
    expect(await failuresOf(definition, { input: { items: [1] }, expect: { result: [2, 4] } })).toEqual([
      'the result is [2], and not [2,4]',
    ]);
  });

  it('has the mock of a Terminal node as its result', async () => {
    const end = { id: 'end', type: 'terminal', parameters: { body: 1 } };
    const test = { mocks: { end: { output: 2 } }, expect: { outputs: { end: 2 }, result: 2 } };
    expect(await failuresOf(chainOf(end), test)).toEqual([]);
  });

  it('that takes too long is ended, also if its nodes follow each other without a pause', async () => {
    const endless = {
      nodes: [
        START,
        { id: 'again', type: 'loop', parameters: { mode: 'while', condition: '{{ true }}', maxIterations: 1_000_000 } },
        { id: 'nothing', type: 'set', parameters: { fields: {} } },
      ],
      edges: [
        { source: 'start', target: 'again' },
        { source: 'again', sourceHandle: 'body', target: 'nothing' },
      ],
    };
    const impatient = await createTester({ maxTestMs: 100 });
    try {
      const [result] = await impatient.test(endless, [{ name: 'endless' }]);
      expect(result?.failures).toEqual(['the run ended as unfinished after 0.1 s, and not as success']);
    } finally {
      await impatient.close();
    }
  });

  it('is refused with its issues', async () => {
    expect(await failuresOf(chainOf(), { expects: {} })).toEqual([expect.stringContaining('expects')]);
    expect(await failuresOf(chainOf({ id: 'a', type: 'sett' } as { id: string }), {})).toEqual([
      expect.stringContaining('sett'),
    ]);
    expect(await failuresOf(chainOf(), { now: 'soon' })).toEqual(['now is not a time (ISO 8601)']);
    expect(await failuresOf(chainOf(), { trigger: 'strat' })).toEqual(['there is no trigger strat to start from']);
    const another = chainOf({ id: 'a', type: 'set', parameters: { fields: {} } } as { id: string });
    expect(await failuresOf(another, { trigger: 'a' })).toEqual(['there is no trigger a to start from']);
  });

  it('fails for an input that its trigger refuses, and for a result that does not fit its schema', async () => {
    const named = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
    const definition = {
      nodes: [
        { id: 'start', type: 'trigger.manual', parameters: { inputSchema: named } },
        { id: 'end', type: 'terminal', parameters: { body: '{{ $trigger.result }}', bodySchema: named } },
      ],
      edges: [{ source: 'start', target: 'end' }],
    };
    expect(await failuresOf(definition, {})).toEqual(['input.name is required']);
    expect(await failuresOf(definition, { input: { name: 'Ada', result: { name: 'Bo' } } })).toEqual([]);
    const misfit = { input: { name: 'Ada', result: { name: 5 } } };
    const error = { node: 'end', code: 'RESULT_INVALID' };
    expect(await failuresOf(definition, { ...misfit, expect: { status: 'failed', error } })).toEqual([]);
    expect(await failuresOf(definition, misfit)).toEqual([expect.stringContaining('body.name must be string')]);
  });
});
