import type { JsonValue } from '@deckhand/contracts';
import { defineNodeType, NodeError, type Outcome, output } from '@deckhand/engine';
import { types } from 'node:util';
import Type from 'typebox';
import { listBatches, readRowsText, RowsParameter } from '../files/batches.ts';
import {
  CharsetParameter,
  checkTextSource,
  FileNameParameter,
  FileParameter,
  saveText,
  TargetParameter,
} from '../files/file-source.ts';
import { checkedResult, checkLength, findTextExcess, parseForeignJson } from '../text/limit.ts';
import { runInSlices, type Steps, type Work } from '../work/slices.ts';

export default defineNodeType({
  type: 'json',
  title: 'JSON',
  description:
    'Reads JSON of a text or a file, or writes it. With `lines`, each line is a value (JSON Lines, NDJSON), and the whole a list. `parse` returns the value; `write` returns `{ text }`, or a file. `split` divides a file of JSON Lines of any size into a list of batches, for the `items` of a loop: in its body, `parse` takes {{ $loop.item }} as its `file`. Numbers beyond the safe range become texts.',
  keywords: ['ndjson', 'jsonl', 'json lines', 'parse', 'stringify'],
  category: 'data',
  icon: 'braces',
  summary: '{operation}',
  hasEffects: false,
  parameters: Type.Object(
    {
      operation: Type.Enum(['parse', 'write', 'split'], {
        description: 'Whether to parse, to write, or to split a file',
      }),
      text: Type.Optional(Type.String({ description: 'For `parse`: at most 5,000,000 characters' })),
      file: Type.Optional(FileParameter('For `split`, and for `parse` instead of `text`')),
      value: Type.Optional(Type.Unsafe<JsonValue>({ description: 'For `write`: by default the input' })),
      lines: Type.Optional(
        Type.Boolean({ default: false, description: 'For `parse` and `write`: whether each line is a value' }),
      ),
      indent: Type.Optional(
        Type.Boolean({
          default: false,
          description: 'For `write` without `lines`: on several lines, for people to read',
        }),
      ),
      rows: RowsParameter,
      to: TargetParameter,
      fileName: FileNameParameter('data.json'),
      charset: CharsetParameter,
    },
    { additionalProperties: false },
  ),
  form: {
    inputs: { file: 'expression', value: 'expression' },
    shownFor: {
      text: { operation: ['parse'] },
      file: { operation: ['parse', 'split'] },
      value: { operation: ['write'] },
      lines: { operation: ['parse', 'write'] },
      indent: { operation: ['write'] },
      rows: { operation: ['split'] },
      to: { operation: ['write'] },
      fileName: { operation: ['write'] },
    },
  },
  check: checkTextSource,
  errors: [
    'FILE_NOT_FOUND',
    'FILE_TOO_LARGE',
    'JSON_INVALID',
    'MEMORY_EXCEEDED',
    'NODE_BUDGET',
    'RESULT_TOO_LARGE',
    'STORAGE_FULL',
    'TEXT_TOO_LARGE',
  ],
  async run(parameters, { input, signal, files }) {
    const { operation, text, file, lines = false, charset } = parameters;
    switch (operation) {
      case 'split': {
        const { rows = 1_000 } = parameters;
        return output(await listBatches(file, files, { hasHeader: false, rows, charset, signal }));
      }
      case 'parse': {
        const read = text === undefined ? await readRowsText(file, files, charset) : checkLength(text);
        return lines ? runInSlices(signal, (work) => parseLines(read, work)) : output(parse(read, 'the text'));
      }
      case 'write': {
        const value = parameters.value ?? input;
        await runInSlices(signal, (work): Steps<JsonValue> => checkedResult(value, work));
        const written = lines ? toLines(value) : JSON.stringify(value, null, parameters.indent === true ? 2 : 0);
        if (parameters.to !== 'file') return output({ text: written });
        const { fileName: name = lines ? 'data.jsonl' : 'data.json' } = parameters;
        const contentType = lines ? 'application/jsonl' : 'application/json';
        return output(await saveText(files, written, { name, contentType, charset }));
      }
    }
  },
  example: {
    trigger: { text: '{"id":1}\n{"id":2}\n' },
    definition: {
      nodes: [
        { id: 'start', type: 'trigger.manual' },
        { id: 'json', type: 'json', parameters: { operation: 'parse', lines: true, text: '{{ $trigger.text }}' } },
      ],
      edges: [{ source: 'start', target: 'json' }],
    },
    outputs: { json: [{ id: 1 }, { id: 2 }] },
  },
});

/** Empty lines are skipped. All lines together may have as much as one text. */
function* parseLines(text: string, work: Work): Steps<Outcome> {
  const excess = findTextExcess(text);
  if (excess !== undefined) {
    throw new NodeError('RESULT_TOO_LARGE', `the text ${excess}`, { isRetryable: false });
  }
  const values: JsonValue[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() !== '') values.push(parse(line, `line ${index + 1}`));
    if (work.spend(1 + line.length / 4)) yield;
  }
  return output(values);
}

/** @throws NodeError JSON_INVALID, RESULT_TOO_LARGE. */
function parse(text: string, what: string): JsonValue {
  try {
    return parseForeignJson(text, what);
  } catch (error) {
    if (error instanceof NodeError) throw error;
    const reason = types.isNativeError(error) ? error.message : '';
    throw new NodeError('JSON_INVALID', `${what} is not JSON: ${reason}`, { isRetryable: false });
  }
}

function toLines(value: JsonValue): string {
  const items: readonly JsonValue[] = Array.isArray(value) ? value : [value];
  return items.map((item) => `${JSON.stringify(item)}\n`).join('');
}
