import {
  deleteModelCall,
  insertModelCall,
  newModelCallId,
  pruneModelMonths,
  readModelMonth,
  settleModelCall,
} from '@deckhand/db';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
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
  await instance.db.workspace.update({
    where: { id: workspaceId },
    data: { modelTokensPerMonth: 1_000, modelMicroUsdPerMonth: null },
  });
});

const newCall = (reservedInputTokens: number, more: { model?: string; reservedOutputTokens?: number } = {}) => ({
  id: newModelCallId(),
  workspaceId,
  executionId: newModelCallId(),
  nodeId: 'ask',
  iteration: '',
  credentialId: newModelCallId(),
  provider: 'openai',
  model: 'm',
  reservedInputTokens,
  reservedOutputTokens: 0,
  ...more,
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
  expect(await readModelMonth(instance.db, workspaceId)).toMatchObject({ tokens: Number.MAX_SAFE_INTEGER });
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

describe('a limit of costs', () => {
  const PRICED = { model: 'priced' };
  const limit = (modelMicroUsdPerMonth: number | null) =>
    instance.db.workspace.update({
      where: { id: workspaceId },
      data: { modelTokensPerMonth: null, modelMicroUsdPerMonth },
    });
  const spent = async () => (await readModelMonth(instance.db, workspaceId)).microUsd;

  beforeAll(async () => {
    const price = { provider: 'openai', model: 'priced', source: 'Test' };
    const day = (text: string) => new Date(`${text}T00:00:00Z`);
    await instance.db.modelPrice.createMany({
      data: [
        // $2, $0.50 and $8 per million tokens.
        { ...price, validFrom: day('2026-01-01'), inputPrice: 2e6, cachedInputPrice: 5e5, outputPrice: 8e6 },
        { ...price, validFrom: day('2025-01-01'), inputPrice: 1, cachedInputPrice: 1, outputPrice: 1 },
        { ...price, validFrom: day('2999-01-01'), inputPrice: 1, cachedInputPrice: 1, outputPrice: 1 },
        { ...price, model: 'gpt-4.1', validFrom: day('2999-01-01'), inputPrice: 1, outputPrice: 1 },
      ],
    });
  });

  it('is not exceeded by calls at the same time', async () => {
    await limit(1_000);
    const calls = Array.from({ length: 20 }, () => insertModelCall(instance.db, newCall(50, PRICED)));
    const admitted = (await Promise.all(calls)).filter(({ kind }) => kind === 'counted');
    expect(admitted).toHaveLength(10);
    expect(await spent()).toBe(1_000);
    expect(await insertModelCall(instance.db, newCall(1, PRICED))).toEqual({
      ...{ kind: 'overCost', usedMicroUsd: 1_000, maxMicroUsd: 1_000, reservedMicroUsd: 2 },
    });
  });

  it('counts the cost of a response once, in whole micro-dollars, in place of what was reserved', async () => {
    await limit(100_000);
    const call = newCall(1_000, { ...PRICED, reservedOutputTokens: 1_000 });
    await insertModelCall(instance.db, call);
    expect(await spent()).toBe(10_000);
    // 8 × $2 + 3 × $0.50 + 7 × $8, per million: 73.5 micro-dollars.
    const response = { inputTokens: 11, cachedInputTokens: 3, outputTokens: 7 };
    for (let time = 0; time < 2; time += 1) expect(await settleModelCall(instance.db, call.id, response)).toBe(74);
    expect(await spent()).toBe(74);
    await deleteModelCall(instance.db, call.id);
    expect(await spent()).toBe(74);
  });

  it('refuses a model without a price, and the first call that alone exceeds it', async () => {
    await limit(1_000);
    expect(await insertModelCall(instance.db, newCall(1))).toEqual({ kind: 'noPrice' });
    expect(await insertModelCall(instance.db, newCall(501, PRICED))).toMatchObject({
      kind: 'overCost',
      usedMicroUsd: 0,
    });
    expect(await spent()).toBe(0);
  });

  it('knows built-in prices, until one of an administrator is valid', async () => {
    await limit(1_000);
    const call = newCall(100, { model: 'gpt-4.1' });
    await insertModelCall(instance.db, call);
    expect(await settleModelCall(instance.db, call.id, { ...tokens, cachedInputTokens: 0 })).toBe(20 * 2 + 10 * 8);
  });

  it('is none for a model without a price: its cost stays unknown', async () => {
    await limit(null);
    const call = newCall(100);
    await insertModelCall(instance.db, call);
    expect(await settleModelCall(instance.db, call.id, tokens)).toBeNull();
    expect(await spent()).toBe(0);
    const row = await instance.db.modelCall.findUniqueOrThrow({ where: { id: call.id } });
    expect(row.costMicroUsd).toBeNull();
  });
});
