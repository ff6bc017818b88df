import { isJsonObject, type JsonObject, type JsonValue, parseOwnJson } from '@deckhand/contracts';
import { compileWorkflow, type NodeType, output } from '@deckhand/engine';
import { createScriptRunner, loadNodeTypes } from '@deckhand/nodes';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInMemory } from '../../../../../tests/harness/engine.ts';
import { connect, convertN8n, START } from '../../../../../tests/harness/import-n8n.ts';
import { isList, object, show } from '../../workflow.ts';
import { LANGCHAIN } from './chat-model.ts';

/** What a node of n8n asked a provider, and what it made of the response, as `record/models.mjs` writes it. */
interface Recorded {
  readonly workflow: { readonly nodes: readonly JsonObject[] };
  readonly response: string;
  readonly sent: readonly {
    readonly messages: readonly { readonly role: string; readonly text: string }[];
    readonly schema?: JsonObject;
  }[];
  /** Items by output, or "fails". */
  readonly outputs: JsonValue;
}

const PATH = join(import.meta.dirname, '../../../matrices/models.json');
const { rows } = parseOwnJson<{ readonly rows: readonly Recorded[] }>(readFileSync(PATH, 'utf8'));
const code = createScriptRunner();
beforeAll(async () => {
  // The first script of a thread waits for its start, which may take longer than a node has on a busy machine.
  const names = { $trigger: {}, $now: '2026-11-20T08:15:00.000Z' };
  const limits = { timeoutMs: 60_000, memoryBytes: 67_108_864, keepsConsole: false };
  await code.run({
    source: '',
    names,
    workspaceId: 'w',
    executionId: 'e',
    ...limits,
    signal: new AbortController().signal,
  });
});
afterAll(() => code.close());

/** Members of the provider's response that are left out, as the notes say. */
const LEFT_OUT = new Set(['refusal', 'annotations', 'id']);

function without(names: ReadonlySet<string>, value: JsonValue): JsonValue {
  if (isList(value)) return value.map((each) => without(names, each));
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).filter(([name]) => !names.has(name));
  return Object.fromEntries(members.map(([name, each]) => [name, without(names, each)]));
}

/** Runs what a workflow became, with a model that gives the recorded response, and notes what it is asked. */
async function run({ workflow, response }: Recorded) {
  const converted = convertN8n(parseOwnJson(JSON.stringify(workflow)));
  const asked: JsonObject[] = [];
  const replace = (type: NodeType): NodeType =>
    type.type === 'model'
      ? {
          ...type,
          run(given) {
            const parameters = object(given);
            asked.push(parameters);
            const json = isJsonObject(parameters.outputSchema) ? parseOwnJson<JsonValue>(unfenced(response)) : null;
            const isWrapped = isJsonObject(json) && isJsonObject(json.output) && parameters.outputSchema !== undefined;
            const value = isWrapped && isUnwrapped(parameters.outputSchema) ? json.output : json;
            return Promise.resolve(output({ text: response, output: value ?? null }));
          },
        }
      : type;
  const { ending, journal } = await runInMemory(converted.definition, { trigger: {}, services: { code }, replace });
  return { ...converted, asked, ending, journal };
}

/** Whether a schema is that of the data itself, which n8n asks for as a member. */
function isUnwrapped(schema: JsonValue | undefined): boolean {
  return isJsonObject(schema) && !(isJsonObject(schema.properties) && 'output' in schema.properties);
}

function unfenced(text: string): string {
  return text.replace(/^```json\n|\n```$/g, '');
}

/** Returns what a `model` node is asked as messages. */
function messagesOf({ system, messages, prompt }: JsonObject): JsonValue[] {
  return [
    ...(system === undefined ? [] : [{ role: 'system', text: system }]),
    ...(isList(messages) ? messages : []),
    ...(prompt === undefined ? [] : [{ role: 'user', text: prompt }]),
  ];
}

const nameOf = ({ workflow }: Recorded, index: number): string => {
  const { type, typeVersion } = workflow.nodes.find(({ name }) => name === 'Node') ?? {};
  return `${index + 1}: ${show(type).slice(LANGCHAIN.length)} ${show(typeVersion)}`;
};

describe.each(rows.map((row, index) => [nameOf(row, index), row] as const))('question %s', (_name, row) => {
  it('is the same as in n8n, and so is what becomes of the response', async () => {
    const { definition, notes, outputs, asked, ending, journal } = await run(row);
    expect(notes.filter(({ level }) => level === 'manual')).toEqual([]);
    expect(compileWorkflow(definition, await loadNodeTypes())).not.toHaveProperty('issues');
    const { sent, outputs: expected } = row;
    expect(asked.map(messagesOf)).toEqual(sent.map(({ messages }) => messages));
    for (const [index, { schema }] of sent.entries()) {
      const { outputSchema } = asked[index] ?? {};
      if (schema === undefined) expect(outputSchema).toBeUndefined();
      else expect(outputSchema).toEqual(plainSchema(schema, outputSchema));
    }
    expect(ending.kind).toBe(expected === 'fails' ? 'failed' : 'success');
    if (!isList(expected)) return;
    const last = new Map(journal.filter(({ status }) => status === 'success').map((each) => [each.nodeId, each]));
    for (const [index, { nodeId, handle, source }] of (outputs.get('Node') ?? []).entries()) {
      const [, id = '', member] = /^\$nodes\.(\w+)\.output(?:\.(\w+))?$/.exec(source.text) ?? [];
      const { output: all } = last.get(id) ?? {};
      const data = member === undefined ? all : object(all)[member];
      // One item goes one way; a list has a node for each way that asks for items.
      const isTaken = source.shape === 'list' || handle === undefined || last.get(nodeId)?.handle === handle;
      const items = source.shape === 'list' ? data : isTaken ? [data] : [];
      expect(items).toEqual(without(LEFT_OUT, expected[index] ?? null));
    }
  });
});

/** Returns a schema of n8n as ours is: that of the data itself where it is an object, open for other members. */
function plainSchema(schema: JsonObject, ours: JsonValue | undefined): JsonValue {
  const open = without(new Set(['additionalProperties', '$schema']), schema);
  const { output: inner } = object(object(open).properties);
  return isUnwrapped(ours) && inner !== undefined ? inner : open;
}

it('has stubs for what is not converted, also for single tools of an agent', () => {
  const part = (name: string, type: string, parameters = {}, typeVersion = 1) => ({
    ...{ name, type: `${LANGCHAIN}${type}`, parameters, typeVersion },
  });
  const nodes = [
    START,
    part('Agent', 'agent', {}, 2),
    part('Old agent', 'agent'),
    part('Model', 'lmChatOpenAi'),
    part('Azure', 'lmChatAzureOpenAi', { model: 'mine' }),
    part('Tool', 'toolCalculator'),
    part('Memory', 'memoryBufferWindow'),
    part('Store', 'toolVectorStore'),
    part('Embeddings', 'embeddingsOpenAi'),
    part('Chain', 'chainLlm'),
    part('Bedrock', 'lmChatAwsBedrock'),
    part('Alone', 'chainLlm'),
  ];
  const attached = (type: string, ...names: string[]) => ({
    [type]: [names.map((node) => ({ node, type, index: 0 }))],
  });
  const connections = {
    ...connect('Start > Agent', 'Start > Old agent', 'Start > Chain', 'Start > Alone'),
    Model: attached('ai_languageModel', 'Old agent'),
    Azure: attached('ai_languageModel', 'Agent'),
    Tool: attached('ai_tool', 'Agent'),
    Store: attached('ai_tool', 'Agent'),
    Embeddings: attached('ai_embedding', 'Store'),
    Memory: attached('ai_memory', 'Agent'),
    Bedrock: attached('ai_languageModel', 'Chain'),
  };
  const { notes, definition } = convertN8n(parseOwnJson(JSON.stringify({ nodes, connections })));
  const found = new Map(notes.map((note) => [note.node, note]));
  const levelOf = (name: string) => [found.get(name)?.level, found.get(name)?.messages[0]];
  expect(levelOf('Tool')).toEqual(['manual', 'there is no such tool here: toolCalculator']);
  expect(levelOf('Embeddings')).toEqual(['manual', 'is part of "Store", whose stub has it']);
  expect(levelOf('Memory')).toEqual(['review', expect.stringContaining('it is left out')]);
  expect(levelOf('Old agent')).toEqual(['manual', 'an agent of the type conversationalAgent']);
  expect(levelOf('Model')).toEqual(['manual', 'is part of "Old agent", whose stub has it']);
  expect(levelOf('Chain')).toEqual(['manual', 'a model of the type lmChatAwsBedrock']);
  expect(levelOf('Alone')).toEqual(['review', expect.stringContaining('it has no model')]);
  expect(levelOf('Azure')).toEqual(['converted', undefined]);
  expect(found.get('Agent')).toMatchObject({
    level: 'review',
    messages: expect.arrayContaining([
      expect.stringContaining('the baseUrl https://<resource>.openai.azure.com/openai/v1'),
      'calls of its tools that are stubs fail, of which the model is told: "Tool", "Store"',
    ]),
  });
  expect(definition.nodes.find(({ id }) => id === 'agent')).toMatchObject({
    type: 'agent',
    parameters: { model: 'mine', tools: [{ node: 'tool' }, { node: 'store' }], maxTurns: 10 },
  });
});
