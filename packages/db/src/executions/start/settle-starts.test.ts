import { describe, expect, it } from '@jest/globals';
import { settleStarts, type StartLimits, type Unsettled } from './settle-starts.ts';

interface Request {
  readonly executionId: string;
  readonly triggerData: string;
  readonly source?: string;
  readonly options?: string | undefined;
  readonly countedUnder?: number;
  readonly checkedVersionId?: string | undefined;
}

const start = (executionId: string, changes: Partial<Request> = {}) => ({
  request: { executionId, triggerData: '{}', ...changes } satisfies Request,
});

/** A workspace with a limit, and a workflow that limits its runs. */
interface World {
  /** The limits of runs per minute: each count changes the limit to the next. */
  limits?: readonly number[];
  /** The version whose trigger enforces a schema: each check changes it to the next. */
  versions?: readonly string[];
  /** Whether runs need the key of their workflow. */
  needsKey?: boolean;
  /** How many runs the window still allows. */
  room?: number;
  /** Ids of runs that exist. */
  landed?: readonly string[];
}

/** Settles starts in a world. @returns their outcomes, and what was counted and which keys were found. */
async function settle(starts: readonly { request: Request | null }[], world: World) {
  const counted: number[] = [];
  const checked: string[] = [];
  const onLimits: string[] = [];
  const limits = [...(world.limits ?? [])];
  const versions = [...(world.versions ?? [])];
  let room = world.room ?? Infinity;
  const ports: StartLimits = {
    checkInput(triggerData) {
      checked.push(triggerData);
      const issues = triggerData.includes('bad') ? [{ path: 'name', message: 'is required' }] : [];
      return Promise.resolve({ issues });
    },
    addKey(_, concurrency) {
      onLimits.push(concurrency.onLimit ?? 'queue');
      return '{"concurrency":{"key":"k"}}';
    },
    count(_, max) {
      counted.push(max);
      if (limits.length > 1) limits.shift();
      room -= 1;
      return Promise.resolve({ isBeyond: room < 0, max, windowSeconds: 60, remaining: room, resetSeconds: 7 });
    },
  };
  const verdictOf = (request: Request | null): { kind: 'done' } | Unsettled => {
    if (!request) return { kind: 'done' };
    const [version] = versions;
    if (version !== undefined && request.checkedVersionId !== version) {
      if (versions.length > 1) versions.shift();
      return {
        kind: 'needsCheck',
        ...{ workspaceId: 's', workflowVersionId: version, triggerNodeId: 't' },
        inputSchema: '{}',
      };
    }
    if (world.needsKey === true && request.options === undefined)
      return { kind: 'needsKey', concurrency: { onLimit: 'reject' } };
    const [limit] = limits;
    if (limit !== undefined && request.countedUnder !== limit)
      return { kind: 'notCounted', workspaceId: 's', executionsPerMinute: limit };
    return { kind: 'done' };
  };
  const sizes: number[] = [];
  const outcomes = await settleStarts<{ request: Request | null }, { kind: 'done' }>(
    starts,
    (batch) => {
      sizes.push(batch.length);
      return Promise.resolve(batch.map(({ request }) => verdictOf(request)));
    },
    ports,
    {
      findLanded: (ids) =>
        Promise.resolve(new Map(ids.filter((id) => world.landed?.includes(id)).map((id) => [id, true]))),
    },
  );
  return { kinds: outcomes.map(({ kind }) => kind), outcomes, counted, checked, onLimits, sizes };
}

describe('a start that nothing limits', () => {
  it('is written once, with the others', async () => {
    const { kinds, sizes, counted, onLimits } = await settle([start('a'), start('b'), { request: null }], {});
    expect([kinds, sizes, counted, onLimits]).toEqual([['done', 'done', 'done'], [3], [], []]);
  });
});

describe('a trigger that enforces a schema', () => {
  it('starts what fits, and refuses the rest before anything is counted or limited', async () => {
    const starts = [start('a'), start('b', { triggerData: '{"bad":1}' })];
    const { kinds, outcomes, checked, counted, onLimits } = await settle(starts, { versions: ['v1'], limits: [5] });
    expect([kinds, checked, counted, onLimits]).toEqual([['done', 'invalidInput'], ['{}', '{"bad":1}'], [5], []]);
    expect(outcomes[1]).toMatchObject({ issues: [{ path: 'name', message: 'is required' }] });
  });

  it('is checked again for the version that became current meanwhile', async () => {
    const { kinds, checked, sizes } = await settle([start('a')], { versions: ['v1', 'v2', 'v2'] });
    expect([kinds, checked, sizes]).toEqual([['done'], ['{}', '{}'], [1, 1, 1]]);
  });
});

describe('a limit of runs per minute', () => {
  it('counts each run once, and says how many are left', async () => {
    const { kinds, counted, outcomes } = await settle([start('a'), start('b')], { limits: [5], room: 5 });
    expect([kinds, counted]).toEqual([
      ['done', 'done'],
      [5, 5],
    ]);
    expect(outcomes).toMatchObject([{ counted: { remaining: 4 } }, { counted: { remaining: 3 } }]);
  });

  it('refuses those beyond it, and counts no more of its workspace', async () => {
    const { kinds, counted, outcomes } = await settle(
      ['a', 'b', 'c', 'd'].map((id) => start(id)),
      {
        limits: [1],
        room: 1,
      },
    );
    expect([kinds, counted]).toEqual([
      ['done', 'rateLimited', 'rateLimited', 'rateLimited'],
      [1, 1],
    ]);
    expect(outcomes[3]).toMatchObject({ count: { resetSeconds: 7 } });
  });

  it('does not count a run that exists', async () => {
    const { kinds, counted } = await settle([start('a'), start('b')], { limits: [5], landed: ['a'] });
    expect([kinds, counted]).toEqual([['done', 'done'], [5]]);
  });

  it('counts a run again under a limit that was changed meanwhile', async () => {
    const { kinds, counted } = await settle([start('a')], { limits: [5, 4] });
    expect([kinds, counted]).toEqual([['done'], [5, 4]]);
  });
});

describe('a limit by the key of a workflow', () => {
  it('is found before the run is counted', async () => {
    const { kinds, onLimits, counted, sizes } = await settle([start('a')], { needsKey: true, limits: [5] });
    expect([kinds, onLimits, counted, sizes]).toEqual([['done'], ['reject'], [5], [1, 1, 1]]);
  });

  it('has a rerun wait for its turn', async () => {
    const { onLimits } = await settle([start('a', { source: 'rerun' }), start('b')], { needsKey: true });
    expect(onLimits).toEqual(['queue', 'reject']);
  });
});
