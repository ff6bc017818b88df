import { type JsonObject, parseOwnJson } from '@deckhand/contracts';
import { compileWorkflow } from '@deckhand/engine';
import { createScriptRunner, loadNodeTypes } from '@deckhand/nodes';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInMemory } from '../../../../tests/harness/engine.ts';
import { convertN8n, node } from '../../../../tests/harness/import-n8n.ts';
import { object } from '../workflow.ts';

/** A form of n8n, what is sent with ours, and the item that n8n makes of the same, as `record/forms.mjs` writes it. */
interface Recorded {
  readonly typeVersion: number;
  readonly parameters: JsonObject;
  readonly given: JsonObject;
  readonly item: JsonObject;
}

const PATH = join(import.meta.dirname, '../../matrices/forms.json');
const { rows } = parseOwnJson<{ readonly rows: readonly Recorded[] }>(readFileSync(PATH, 'utf8'));
const code = createScriptRunner();
beforeAll(async () => {
  // The first script of a thread waits for its start, which may take longer than a node has on a busy machine.
  const names = { $trigger: {}, $now: '2026-11-20T08:15:00.000Z' };
  const limits = { timeoutMs: 60_000, memoryBytes: 67_108_864, keepsConsole: false };
  const { signal } = new AbortController();
  await code.run({ source: '', names, workspaceId: 'w', executionId: 'e', ...limits, signal });
});
afterAll(() => code.close());

const formOf = ({ typeVersion, parameters }: Pick<Recorded, 'typeVersion' | 'parameters'>) =>
  convertN8n(
    parseOwnJson(
      JSON.stringify({ nodes: [node('Form', 'formTrigger', parameters, { typeVersion })], connections: {} }),
    ),
  );

it.each(rows.map((row, index) => [index + 1, row] as const))('makes the item of n8n: form %i', async (_index, row) => {
  const { definition, notes } = formOf(row);
  expect(notes[0]).toMatchObject({ level: 'review' });
  expect(compileWorkflow(definition, await loadNodeTypes())).not.toHaveProperty('issues');
  const { last } = await runInMemory(definition, { trigger: row.given, services: { code } });
  const { submittedAt, ...item } = object(last.get('form__item/')?.output ?? last.get('form__item')?.output);
  expect(item).toEqual(row.item);
  expect(typeof submittedAt).toBe('string');
});

describe('a form that is another one here', () => {
  it.each([
    ['who signs in', { authentication: 'basicAuth' }, 'a form whose senders sign in'],
    [
      'a hidden field',
      { formFields: { values: [{ fieldName: 'a', fieldType: 'hiddenField' }] } },
      'a field of the type hiddenField',
    ],
    ['a title that is an expression', { formTitle: '={{ $now }}' }, 'a title that is an expression'],
  ])('is a stub: %s', (_name, parameters, message) => {
    const { notes } = formOf({ typeVersion: 2.2, parameters: { formTitle: 'A', ...parameters } });
    expect(notes[0]).toMatchObject({ level: 'manual', messages: [message] });
  });
});

it.each<JsonObject>([
  { authentication: 'basicAuth' },
  { options: { ipWhitelist: '10.0.0.1' } },
  { options: { respondWithOptions: { values: { formSubmittedText: '=Thanks, {{ $json.name }}' } } } },
])('is a stub for a form with %j', (parameters) => {
  const form = node('Form', 'formTrigger', { formTitle: 'A', ...parameters });
  const { notes } = convertN8n(
    parseOwnJson(JSON.stringify({ nodes: [{ ...form, typeVersion: 2.2 }], connections: {} })),
  );
  expect(notes.find(({ node: name }) => name === 'Form')?.level).toBe('manual');
});
