import { pruneAgentMemories, readAgentMemory, writeAgentMemory } from '@deckhand/db';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import {
  addPerson,
  callWithKey,
  createWorkflow,
  type Instance,
  startInstance,
  startTestWorker,
  stopAll,
  until,
} from '../../harness/index.ts';
import { serveModels } from '../../harness/model-provider.ts';

let instance: Instance;
let workspaceId: string;

beforeAll(async () => {
  instance = await startInstance(undefined, { env: { HTTP_NODE_ALLOW_PRIVATE: 'true' } });
  await startTestWorker(instance);
  ({ workspaceId } = instance);
});
afterAll(stopAll);
beforeEach(() => instance.db.agentMemory.deleteMany());

const call = callWithKey(() => instance);
const newAgent = () => ({ executionId: uuidv7(), place: 'agent/' });
const write = (key: string, answer: string, writer = newAgent(), prompt = 'Hello') =>
  writeAgentMemory(instance.db, { workspaceId, key }, writer, { prompt, answer });
const read = (key: string, { reader = newAgent(), max = 100, inWorkspace = workspaceId } = {}) =>
  readAgentMemory(instance.db, { workspaceId: inWorkspace, key }, reader, max);
const answers = async (key: string) => {
  const found = await read(key);
  return found === 'full' ? found : found.map(({ answer }) => answer);
};

describe('a memory', () => {
  it('is that of its key in its workspace alone', async () => {
    await write('ada', 'One');
    await write('eve', 'Two');
    expect(await answers('ada')).toEqual(['One']);
    expect(await answers('Ada')).toEqual([]);
    const other = await instance.db.workspace.create({ data: { id: uuidv7(), name: 'Other' } });
    expect(await read('ada', { inWorkspace: other.id })).toEqual([]);
  });

  it('has one exchange of an agent that writes twice, and does not show it to that agent', async () => {
    const writer = newAgent();
    await write('ada', 'Before');
    await write('ada', 'Lost', writer);
    await write('ada', 'Kept', writer);
    await write('ada', 'In a loop', { ...writer, place: 'agent/1' });
    expect(await answers('ada')).toEqual(['Before', 'Kept', 'In a loop']);
    expect(await read('ada', { reader: writer })).toEqual([
      { prompt: 'Hello', answer: 'Before' },
      { prompt: 'Hello', answer: 'In a loop' },
    ]);
  });

  it('has the exchanges of all agents that write at the same time', async () => {
    await Promise.all(Array.from({ length: 8 }, (_, number) => write('ada', String(number))));
    const found = await answers('ada');
    expect(found).toHaveLength(8);
    expect(found).toEqual(expect.arrayContaining(['0', '1', '2', '3', '4', '5', '6', '7']));
  });

  it('is bounded: in exchanges, in characters, and in those of one text; odd characters are left out', async () => {
    for (let number = 0; number < 12; number += 1) await write('long', `${number}${'x'.repeat(30_000)}`);
    const found = await answers('long');
    expect(found).toHaveLength(9);
    expect(found.at(-1)?.length).toBe(20_001);
    const exchanges = Array.from({ length: 100 }, (_, number) => ({ ...newAgent(), prompt: 'p', answer: `${number}` }));
    await instance.db.agentMemory.create({ data: { workspaceId, key: 'many', exchanges, updatedAt: new Date() } });
    await write('many', 'a\0b\ud800');
    const many = await answers('many');
    expect([many.length, many[0], many.at(-1)]).toEqual([100, '1', 'ab\ufffd']);
    expect(await read('many', { max: 2 })).toHaveLength(2);
  });

  it('is refused for a new key once the workspace has 10,000', async () => {
    await write('ada', 'One');
    await instance.db.$executeRaw`
      INSERT INTO agent_memories (workspace_id, key, exchanges, updated_at)
      SELECT ${workspaceId}::uuid, 'key' || number, '[]', now() FROM generate_series(1, 9999) AS number`;
    expect(await read('another')).toBe('full');
    expect(await write('another', 'One')).toBe('full');
    expect(await write('ada', 'Two')).toBe('written');
    expect(await answers('ada')).toEqual(['One', 'Two']);
  });

  it('is deleted when nobody wrote to it for as long as data of runs are kept, by default 400 days', async () => {
    const at = (days: number) => new Date(Date.now() - days * 86_400_000);
    const rows = [1, 50, 500].map((days) => ({ workspaceId, key: `${days}`, exchanges: [], updatedAt: at(days) }));
    await instance.db.agentMemory.createMany({ data: rows });
    // Maintenance may have deleted it before.
    const keysAfterPruning = async () => {
      await pruneAgentMemories(instance.db, 100);
      return (await instance.db.agentMemory.findMany({ orderBy: { key: 'asc' } })).map(({ key }) => key);
    };
    expect(await keysAfterPruning()).toEqual(['1', '50']);
    await instance.db.setting.create({ data: { name: 'dataRetentionDays', value: 30 } });
    expect(await keysAfterPruning()).toEqual(['1']);
    await instance.db.setting.delete({ where: { name: 'dataRetentionDays' } });
  });
});

describe('memories of a workspace', () => {
  const memory = (key: string) => `/api/ai/memories/messages?workspaceId=${workspaceId}&key=${key}` as const;

  it('are listed, read and deleted by members', async () => {
    const writer = newAgent();
    await write('ada@example.com', 'Hi', writer);
    const listed = await call('GET', `/api/ai/memories?workspaceId=${workspaceId}&includeTotal=true`);
    expect(listed.body).toMatchObject({ data: [{ key: 'ada@example.com', messages: 2 }], total: 1 });
    const { executionId } = writer;
    expect((await call('GET', memory('ada@example.com'))).body.messages).toMatchObject([
      { role: 'user', text: 'Hello', executionId },
      { role: 'assistant', text: 'Hi', executionId },
    ]);
    expect((await call('DELETE', memory('ada@example.com'))).status).toBe(204);
    expect((await call('DELETE', memory('ada@example.com'))).status).toBe(404);
    expect((await call('GET', memory('ada@example.com'))).status).toBe(404);
    expect(await answers('ada@example.com')).toEqual([]);
  });

  it('are kept from others, and a viewer deletes none', async () => {
    await write('ada', 'Hi');
    const { gateway } = instance;
    const stranger = await addPerson(instance);
    const viewer = await addPerson(instance, 'viewer');
    expect((await gateway.call('GET', memory('ada'), { as: stranger.session })).status).toBe(403);
    expect((await gateway.call('GET', memory('ada'), { as: viewer.session })).status).toBe(200);
    expect((await gateway.call('DELETE', memory('ada'), { as: viewer.session })).status).toBe(403);
    expect(await answers('ada')).toEqual(['Hi']);
  });
});

describe('an agent in a run', () => {
  it('is told what was said under its key, and under no other', async () => {
    const { url, requests } = await serveModels({ text: 'It is 42.' });
    const secret = { provider: 'openai', apiKey: 'key-of-the-provider', baseUrl: url };
    const created = await call('POST', '/api/credentials', { workspaceId, name: 'Models', type: 'model', secret });
    const agent = {
      id: 'agent',
      type: 'agent',
      credentialId: created.body.id,
      parameters: { model: 'm', prompt: '{{ $trigger.text }}', memory: { key: '{{ $trigger.who }}' } },
    };
    const nodes = [{ id: 'start', type: 'trigger.manual' }, agent];
    const workflowId = await createWorkflow(instance, { nodes, edges: [{ source: 'start', target: 'agent' }] });
    const run = async (who: string, text: string) => {
      const started = await call('POST', `/api/workflows/${workflowId}/execute`, { input: { who, text } });
      await until(async () => {
        const { body } = await call('GET', `/api/executions/${started.body.executionId}`);
        return body.status === 'success';
      });
      return JSON.stringify(requests.at(-1)?.json.input);
    };
    expect(await run('ada', 'My number is 42')).not.toContain('It is 42.');
    expect(await run('ada', 'Which number?')).toMatch(/My number is 42.*It is 42\..*Which number\?/);
    expect(await run('eve', 'Which number?')).not.toContain('42');
  });
});
