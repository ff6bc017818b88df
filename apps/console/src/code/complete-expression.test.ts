import { CompletionContext } from '@codemirror/autocomplete';
import { EditorState } from '@codemirror/state';
import type { JsonValue } from '@deckhand/contracts';
import { expect, it } from '@jest/globals';
import type { SampleData } from '../forms/sample-data.ts';
import { completeExpression, sampleData } from './complete-expression.ts';

const ERROR = { error: { message: '', code: '' } };

function dataOf(output: JsonValue | undefined, known: JsonValue): SampleData {
  return {
    run: undefined,
    before: ['call'],
    links: [],
    sources: [{ nodeId: 'call', gives: 'output' }],
    tryData: () => dataOf(undefined, {}),
    loop: undefined,
    output: () => Promise.resolve(output),
    shapes: { trigger: {}, output: () => known },
    vars: () => Promise.resolve({}),
  };
}

async function fieldsOffered(text: string, data: SampleData): Promise<string[]> {
  const state = EditorState.create({ doc: text, extensions: sampleData.of(data) });
  const result = await completeExpression(new CompletionContext(state, text.length, true));
  return (result?.options ?? []).filter(({ type }) => type === 'property').map(({ label }) => label);
}

it.each<[string, JsonValue | undefined, JsonValue, readonly string[]]>([
  ['what is known of the output of a failed node', undefined, ERROR, ['error']],
  ['the output of the run', { status: 200 }, {}, ['status']],
  ['both, for a node that may have failed', { status: 200 }, { status: 0, ...ERROR }, ['error', 'status']],
  ['the output of the run only, if it is not an object', [1], ERROR, []],
])('the fields of data are completed from %s', async (_, output, known, expected) => {
  const data = dataOf(output, known);
  for (const name of ['$input', '$nodes.call.output']) {
    const offered = await fieldsOffered(`{{ ${name}.`, data);
    expect(offered.filter((field) => field !== 'length').sort()).toEqual(expected);
  }
});
