import type { Definition, JsonObject } from '@deckhand/contracts';
import type { AgentMemories, MemoryExchange, NodeRecord } from '@deckhand/engine';
import { createResultChecker, createSchemaChecker } from '@deckhand/nodes';
import { afterAll, describe, expect, it } from '@jest/globals';
import { type MemoryRunOptions, runInMemory } from '../harness/engine.ts';
import {
  agentDefinition,
  createScriptedModel,
  SCRIPTED_CREDENTIAL,
  type ScriptedTurn,
} from '../harness/scripted-model.ts';

const schemas = createSchemaChecker();
const results = createResultChecker(schemas);
afterAll(() => schemas.close());

/** Memories as a worker has them, without a database: exchanges by key, and by agent. */
function createMemories(before: Readonly<Record<string, readonly MemoryExchange[]>> = {}) {
  const kept = new Map(
    Object.entries(before).map(([key, exchanges]) => [
      key,
      new Map(exchanges.map((exchange, at) => [`earlier ${at}`, exchange])),
    ]),
  );
  const agentMemories: AgentMemories = {
    read({ key, executionId, place }, maxExchanges) {
      const others = [...(kept.get(key) ?? [])].filter(([writer]) => writer !== `${executionId} ${place}`);
      return Promise.resolve(others.map(([, exchange]) => exchange).slice(-maxExchanges));
    },
    write({ key, executionId, place }, exchange) {
      kept.set(key, (kept.get(key) ?? new Map<string, MemoryExchange>()).set(`${executionId} ${place}`, exchange));
      return Promise.resolve();
    },
  };
  return { agentMemories, of: (key: string) => [...(kept.get(key)?.values() ?? [])] };
}

async function run(
  definition: Definition,
  { script, agentMemories }: { script: readonly ScriptedTurn[]; agentMemories: AgentMemories },
  options: MemoryRunOptions = {},
) {
  const model = createScriptedModel(script);
  const made = await runInMemory(definition, {
    services: { ...model.services, results, agentMemories },
    openCredential: () => Promise.resolve(SCRIPTED_CREDENTIAL),
    ...options,
  });
  return { ...made, asked: model.asked };
}

const SEND = { id: 'send', type: 'probe' };
const READ = { id: 'read', type: 'set', parameters: { fields: { page: 'Anything.' } } };
const agentOf = (key: string, more: JsonObject = {}, isFree = true) =>
  agentDefinition({ prompt: 'And now?', memory: { key, ...more } }, [SEND, READ], { isFree });

const said = ({ asked }: Awaited<ReturnType<typeof run>>, at: number) =>
  asked[at]?.messages.map(({ content }) => content);
/** The script counts answers of the conversation, remembered ones included. */
const after = (count: number, script: readonly ScriptedTurn[]) => [...Array<ScriptedTurn>(count).fill({}), ...script];
const exchange = (number: number): MemoryExchange => ({ prompt: `Question ${number}`, answer: `Answer ${number}` });

describe('the memory of an agent', () => {
  it('has the last messages of its key, and none of another; its prompt and answer are added', async () => {
    const memories = createMemories({ ada: [exchange(1), exchange(2), exchange(3)], eve: [exchange(9)] });
    const found = await run(agentOf('ada', { maxMessages: 4 }), { script: after(2, [{ text: 'Now.' }]), ...memories });
    expect(found.ending.kind).toBe('success');
    const last = [exchange(2), exchange(3)].flatMap(({ prompt, answer }) => [prompt, answer]);
    expect(said(found, 0)).toEqual([...last, 'And now?']);
    const added = { prompt: 'And now?', answer: 'Now.' };
    expect(memories.of('ada')).toEqual([exchange(1), exchange(2), exchange(3), added]);
    expect(memories.of('eve')).toEqual([exchange(9)]);
  });

  it('is read once: what others write meanwhile changes no turn', async () => {
    const memories = createMemories({ ada: [exchange(1)] });
    const script = after(1, [{ calls: [{ tool: 'send', arguments: {} }] }, { text: 'Done.' }]);
    const found = await run(
      agentOf('ada'),
      { script, ...memories },
      {
        async answer() {
          const other = { workspaceId: '', key: 'ada', executionId: 'other', place: 'agent/' };
          await memories.agentMemories.write(other, exchange(2));
          return { sent: true };
        },
      },
    );
    expect(found.ending.kind).toBe('success');
    expect(said(found, 1)?.slice(0, 3)).toEqual(said(found, 0));
    expect(memories.of('ada')).toHaveLength(3);
  });

  it('has one exchange of an agent whose last answer was lost with its worker, and asked for again', async () => {
    const memories = createMemories();
    const lost = await run(agentOf('ada'), { script: [{ text: 'Lost.' }], ...memories });
    expect(memories.of('ada')).toEqual([{ prompt: 'And now?', answer: 'Lost.' }]);
    const begun = lost.journal.filter(({ status }) => status !== 'success');
    const records = new Map<string, NodeRecord>(
      begun.map((record) => [`${record.nodeId}/${record.iteration}`, record]),
    );
    const script = [{ calls: [{ tool: 'send', arguments: {} }] }, { text: 'Kept.' }];
    const again = await run(agentOf('ada'), { script, ...memories }, { records });
    expect(again.ending.kind).toBe('success');
    expect(said(again, 0)).toEqual(['And now?']);
    expect(memories.of('ada')).toEqual([{ prompt: 'And now?', answer: 'Kept.' }]);
  });

  it('contains text from outside: a person is asked before an effect', async () => {
    const script = [{ calls: [{ tool: 'send', arguments: {} }] }];
    const first = await run(agentOf('ada', {}, false), { script, ...createMemories() });
    expect([first.ending.kind, first.calls]).toEqual(['success', ['send/1']]);
    const memories = createMemories({ ada: [exchange(1)] });
    const found = await run(agentOf('ada', {}, false), { script: after(1, script), ...memories });
    expect([found.ending.kind, found.calls]).toEqual(['waiting', []]);
  });

  it('never has the secret of the credential', async () => {
    const memories = createMemories();
    const secret = {
      provider: 'openaiCompatible',
      baseUrl: 'https://models.example.com/v1',
      apiKey: 'key-of-mine',
    } as const;
    const openCredential = () => Promise.resolve({ type: 'model', secret } as const);
    await run(agentOf('ada'), { script: [{ text: 'It is key-of-mine.' }], ...memories }, { openCredential });
    expect(memories.of('ada')).toEqual([{ prompt: 'And now?', answer: 'It is ********.' }]);
  });

  it('remembers an answer by a schema as JSON, and refuses a key that cannot be stored', async () => {
    const memories = createMemories();
    const script = [{ calls: [{ tool: 'final_answer', arguments: { ok: true } }] }];
    const outputSchema = { type: 'object', properties: { ok: { type: 'boolean' } } };
    const definition = agentDefinition({ memory: { key: 'ada' }, outputSchema }, [SEND]);
    await run(definition, { script, ...memories });
    expect(memories.of('ada')).toEqual([{ prompt: 'Work.', answer: '{"ok":true}' }]);
    const { ending } = await run(agentOf('{{ "a\\u0000b" }}'), { script, ...memories });
    expect(ending).toMatchObject({ kind: 'failed', error: { code: 'PARAMETERS_INVALID' } });
  });
});
