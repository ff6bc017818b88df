import type { JsonObject } from '@deckhand/contracts';
import { compileWorkflow } from '@deckhand/engine';
import { createScriptRunner, loadNodeTypes } from '@deckhand/nodes';
import { afterAll, describe, expect, it } from '@jest/globals';
import { edges, type MemoryRunOptions, runInMemory } from '../harness/engine.ts';

const types = await loadNodeTypes();
const code = createScriptRunner();
afterAll(() => code.close());

const start = { id: 'start', type: 'trigger.manual' };
const ask = (id: string, parameters: JsonObject = {}) => ({
  id,
  type: 'approval',
  parameters: { message: '?', allowLinks: true, ...parameters },
});
const mail = (link: string, id = 'mail') => ({ id, type: 'set', parameters: { fields: { link } } });

const link = (nodeId: string) => `https://deckhand.example/answer/${nodeId}`;
const outputs = async (definition: object, options: MemoryRunOptions = {}) => {
  const { last } = await runInMemory(definition, { services: { code }, ...options });
  return (key: string) => last.get(key)?.output;
};
const issuesOf = (definition: object) => {
  const compiled = compileWorkflow(definition, types);
  return 'issues' in compiled ? compiled.issues.map(({ path, message }) => `${path}: ${message}`) : [];
};

describe('$links', () => {
  it('has the link of a node before it waits, by its id, in text, and in brackets', async () => {
    const read = await outputs({
      nodes: [start, mail('Decide: {{ $links.ask }} or {{ $links["ask-2"] }}'), ask('ask'), ask('ask-2')],
      edges: edges('start -> mail', 'mail -> ask', 'mail -> ask-2'),
    });
    expect(read('mail/')).toEqual({ link: `Decide: ${link('ask')} or ${link('ask-2')}` });
  });

  it('in a loop is that of the iteration; of a node outside, or in an outer loop, that of its own', async () => {
    const read = await outputs({
      nodes: [
        start,
        ask('first'),
        { id: 'outer', type: 'loop', parameters: { items: [1, 2] } },
        { ...ask('middle'), disabled: true },
        { id: 'inner', type: 'loop', parameters: { items: [1, 2] } },
        mail('{{ [$links.first, $links.middle, $links.last] }}'),
        { ...ask('last'), disabled: true },
      ],
      edges: edges(
        'start -> first',
        'start -> outer',
        'outer.body -> middle',
        'outer.body -> inner',
        'inner.body -> mail',
        'mail -> last',
      ),
    });
    expect(read('mail/1.0')).toEqual({ link: [link('first'), link('middle.1'), link('last.1.0')] });
  });

  it('reaches into and out of a try, which has no iterations', async () => {
    const read = await outputs({
      nodes: [
        start,
        mail('{{ $links.inside }}'),
        { id: 'try', type: 'try' },
        mail('{{ $links.outside }}', 'mail-2'),
        ask('inside'),
        ask('outside'),
      ],
      edges: edges('start -> mail', 'mail -> try', 'try.body -> mail-2', 'mail-2 -> inside', 'try.error -> outside'),
    });
    expect([read('mail/'), read('mail-2/')]).toEqual([{ link: link('inside') }, { link: link('outside') }]);
  });

  it('in a script has the links that there are', async () => {
    const source = 'return $links';
    const read = await outputs({
      nodes: [
        start,
        { id: 'script', type: 'code', parameters: { source } },
        ask('ask'),
        ask('no', { allowLinks: false }),
      ],
      edges: edges('start -> script', 'script -> ask', 'script -> no'),
    });
    expect(read('script/')).toEqual({ ask: link('ask') });
  });

  it.each([
    ['a node that does not exist', '{{ $links.nobody }}', '$links.nobody: there is no such node'],
    ['a node without the parameter', '{{ $links.no }}', 'the node has no link unless its parameter allowLinks is true'],
    ['a node in a loop around others', '{{ $links.each }}', '$links.each is inside loop "loop"'],
    ['a computed id', '{{ $links[$trigger.id] }}', 'the id of a node cannot be computed'],
    ['itself alone', '{{ $links }}', '"$links" cannot stand alone; there is $links.<id>'],
  ])('cannot be saved with %s', (_what, text, message) => {
    const issues = issuesOf({
      nodes: [
        start,
        mail(text),
        { id: 'no', type: 'approval', parameters: { message: '?' } },
        { id: 'loop', type: 'loop', parameters: { items: [1] } },
        ask('each'),
      ],
      edges: edges('start -> mail', 'mail -> no', 'mail -> loop', 'loop.body -> each'),
    });
    expect(issues).toEqual([expect.stringContaining(message)]);
  });

  it('cannot be allowed by an expression: who may answer is known when a version is saved', () => {
    const human = { id: 'form', type: 'human', parameters: { title: '?', schema: {}, allowLinks: '{{ true }}' } };
    const issues = issuesOf({
      nodes: [start, ask('ask', { allowLinks: '{{ $trigger.yes }}' }), human],
      edges: edges('start -> ask', 'start -> form'),
    });
    expect(issues).toEqual([
      'nodes[1].parameters.allowLinks: must be true or false, not an expression',
      'nodes[2].parameters.allowLinks: must be true or false, not an expression',
    ]);
  });

  it('fails a node where the address of the instance is not known, with the setting that is missing', async () => {
    const definition = {
      nodes: [start, mail('{{ $links.ask }}'), ask('ask')],
      edges: edges('start -> mail', 'mail -> ask'),
    };
    const { ending } = await runInMemory(definition, { answerLink: undefined });
    expect(ending).toMatchObject({
      kind: 'failed',
      error: { code: 'EXPRESSION_FAILED', message: expect.stringContaining('PUBLIC_URL is not set on this worker') },
    });
    const script = { id: 'mail', type: 'code', parameters: { source: 'return $links.ask' } };
    const ofScript = { ...definition, nodes: [start, script, ask('ask')] };
    expect((await runInMemory(ofScript, { services: { code }, answerLink: undefined })).ending).toMatchObject({
      kind: 'failed',
      error: { code: 'EXPRESSION_FAILED', message: expect.stringContaining('PUBLIC_URL is not set on this worker') },
    });
  });

  it('is made when it is read, and not for runs that read none; in sandbox mode it answers nothing', async () => {
    const made: unknown[] = [];
    const answerLink = (place: object): string => {
      made.push(place);
      return 'made';
    };
    const definition = (text: string) => ({
      nodes: [start, mail(text), ask('ask')],
      edges: edges('start -> mail', 'mail -> ask'),
    });
    await runInMemory(definition('none'), { answerLink });
    const sandboxed = await outputs(definition('{{ $links.ask }}'), { answerLink, mode: 'sandbox' });
    expect([made, sandboxed('mail/')]).toEqual([[], { link: link('ask') }]);
    await runInMemory(definition('{{ $links.ask }}'), { answerLink });
    expect(made).toEqual([{ executionId: 'run', nodeId: 'ask', iteration: '' }]);
  });
});

describe('a wait', () => {
  it.each([
    [ask('ask'), { allowLinks: true }],
    [ask('ask', { allowLinks: false }), {}],
    [{ id: 'ask', type: 'human', parameters: { title: '?', schema: {}, allowLinks: true } }, { allowLinks: true }],
    [{ id: 'ask', type: 'human', parameters: { title: '?', schema: {} } }, {}],
  ])('says whether links may answer it', async (node, expected) => {
    const { ending } = await runInMemory({ nodes: [start, node], edges: edges('start -> ask') });
    const [wait] = ending.kind === 'waiting' ? ending.waits : [];
    expect(Object.entries(wait?.details ?? {}).filter(([name]) => name === 'allowLinks')).toEqual(
      Object.entries(expected),
    );
  });
});
