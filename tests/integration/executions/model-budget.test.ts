import {
  deleteModelCall,
  insertModelCall,
  newModelCallId,
  pruneModelMonths,
  readModelMonth,
  settleModelCall,
} from '@deckhand/db';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { countLockWaits } from '../../harness/databases.ts';
import { type Instance, startInstance, stopAll, until } from '../../harness/index.ts';

let instance: Instance;
let workspaceId: string;

beforeAll(async () => {
  instance = await startInstance();
  ({ workspaceId } = instance);
});
afterAll(stopAll);

beforeEach(async () => {
  await instance.db.modelMonth.deleteMany();
  await instance.db.workspace.update({ where: { id: workspaceId }, data: { modelTokensPerMonth: 1_000 } });
});

const newCall = (reservedTokens: number) => ({
  id: newModelCallId(),
  workspaceId,
  executionId: newModelCallId(),
  nodeId: 'ask',
  iteration: '',
  credentialId: newModelCallId(),
  provider: 'openai',
  model: 'm',
  reservedTokens,
});

const used = async (): Promise<number> => {
  const months = await instance.db.modelMonth.findMany({ where: { workspaceId } });
  return months.reduce((sum, { tokens }) => sum + Number(tokens), 0);
};
const tokens = { inputTokens: 20, outputTokens: 10, cachedInputTokens: 5 };

it('calls at the same time reserve no more than the limit together', async () => {
  const calls = Array.from({ length: 40 }, () => insertModelCall(instance.db, newCall(100)));
  const admitted = (await Promise.all(calls)).filter(({ kind }) => kind === 'counted');
  expect(admitted).toHaveLength(10);
  expect(await used()).toBe(1_000);
});

it('a call that is counted, settled or withdrawn again counts once', async () => {
  const call = newCall(400);
  const again = () => insertModelCall(instance.db, call);
  expect(await Promise.all([again(), again(), again()])).toEqual(Array(3).fill({ kind: 'counted' }));
  expect(await used()).toBe(400);
  for (let time = 0; time < 2; time += 1) await settleModelCall(instance.db, call.id, tokens);
  expect(await used()).toBe(30);
  await deleteModelCall(instance.db, call.id);
  expect(await used()).toBe(30);

  const unsent = newCall(500);
  await insertModelCall(instance.db, unsent);
  for (let time = 0; time < 2; time += 1) await deleteModelCall(instance.db, unsent.id);
  expect(await used()).toBe(30);
});

it('a call that is counted again after others have used the rest stays counted', async () => {
  const call = newCall(600);
  await insertModelCall(instance.db, call);
  await insertModelCall(instance.db, newCall(400));
  expect(await insertModelCall(instance.db, call)).toEqual({ kind: 'counted' });
  expect(await insertModelCall(instance.db, newCall(1))).toEqual({
    kind: 'overLimit',
    usedTokens: 1_000,
    maxTokens: 1_000,
  });
});

it('a call that is repeated while its first try reserves the rest stays counted', async () => {
  const call = newCall(600);
  const { db } = instance;
  await insertModelCall(db, newCall(100));
  // Both meet at the row of the month, which this transaction holds.
  const both = await db.$transaction(async (tx) => {
    await tx.$executeRaw`SELECT FROM model_months WHERE workspace_id = ${workspaceId}::uuid FOR UPDATE`;
    const tries = [insertModelCall(db, call), insertModelCall(db, call)];
    await until(async () => (await countLockWaits(db)) === 2, 'two calls that wait');
    return tries;
  });
  expect(await Promise.all(both)).toEqual([{ kind: 'counted' }, { kind: 'counted' }]);
  expect(await used()).toBe(700);
});

it('a sum of an earlier version that exceeds all limits fails no call', async () => {
  await instance.db.workspace.update({ where: { id: workspaceId }, data: { modelTokensPerMonth: null } });
  await insertModelCall(instance.db, newCall(1));
  await instance.db.$executeRaw`UPDATE model_months SET tokens = 9223372036854775807`;
  const call = newCall(5);
  expect(await insertModelCall(instance.db, call)).toEqual({ kind: 'counted' });
  await settleModelCall(instance.db, call.id, tokens);
  expect(await readModelMonth(instance.db, workspaceId)).toBe(Number.MAX_SAFE_INTEGER);
});

it('sums of months are deleted with their calls', async () => {
  await insertModelCall(instance.db, newCall(1));
  await instance.db.$executeRaw`
    INSERT INTO model_months (workspace_id, month, tokens)
    SELECT gen_random_uuid(), (now() - number * interval '1 month')::date, 1 FROM unnest(ARRAY[25, 29]) AS number`;
  expect(await pruneModelMonths(instance.db, 100)).toBe(1);
  expect(await instance.db.modelMonth.count()).toBe(2);
});

it('the first call of a month is refused if it alone exceeds the limit', async () => {
  expect(await insertModelCall(instance.db, newCall(1_001))).toMatchObject({ kind: 'overLimit', usedTokens: 0 });
  expect(await used()).toBe(0);
});

it('a call whose response is lost stays reserved', async () => {
  await insertModelCall(instance.db, newCall(1_000));
  expect(await insertModelCall(instance.db, newCall(1))).toMatchObject({ kind: 'overLimit' });
});

it('without a limit, what is used is counted all the same', async () => {
  await instance.db.workspace.update({ where: { id: workspaceId }, data: { modelTokensPerMonth: null } });
  expect(await insertModelCall(instance.db, newCall(5_000))).toEqual({ kind: 'counted' });
  expect(await used()).toBe(5_000);
});
