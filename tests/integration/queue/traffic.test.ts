import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  admitRequest,
  connectRedis,
  type Redis,
  reportRequest,
  type TrafficCircuit,
  trafficKeys,
  type TrafficQuery,
  type TrafficRate,
} from '@deckhand/queue';
import { startTestRedis, stopAll, stopLater, until } from '../../harness/index.ts';

/** Connections of two workers. */
let workers: [Redis, Redis];
/** Each test has a credential of its own. */
let credentialId: string;
let tests = 0;

beforeAll(async () => {
  const { url } = await startTestRedis();
  const connect = async (): Promise<Redis> => {
    const redis = connectRedis(url, { role: 'producer' });
    stopLater({
      async stop() {
        await redis.quit();
      },
    });
    await new Promise((resolve) => redis.once('ready', resolve));
    return redis;
  };
  workers = [await connect(), await connect()];
});
afterAll(stopAll);
beforeEach(() => {
  tests += 1;
  credentialId = `credential ${tests}`;
});

const query = (ticket: string, limits: Pick<Partial<TrafficQuery>, 'rate' | 'circuit'>, host = 'api.example') => ({
  ...{ credentialId, host, ticket, rate: undefined, circuit: undefined },
  ...limits,
});
const slow: TrafficRate = { intervalMs: 10_000, burst: 1, maxWaitMs: 3_600_000 };

describe('the rate of requests', () => {
  it('gives each request a place of its own, over all workers, which it keeps', async () => {
    const ask = (index: number) => admitRequest(workers[index % 2 === 0 ? 0 : 1], query(`t${index}`, { rate: slow }));
    const first = await Promise.all(Array.from({ length: 6 }, (_, index) => ask(index)));
    const waits = first.map((verdict) => ('waitMs' in verdict ? verdict.waitMs : 0)).sort((a, b) => a - b);
    expect(first.filter(({ kind }) => kind === 'admitted')).toHaveLength(1);
    waits.forEach((wait, index) => expect(Math.abs(wait - index * 10_000)).toBeLessThan(2_000));
    // However often it asks.
    const again = await Promise.all(
      first.map(async (verdict, index) => (verdict.kind === 'waiting' ? ask(index) : verdict)),
    );
    again.forEach((verdict, index) => {
      const before = first[index];
      if (verdict.kind === 'waiting' && before?.kind === 'waiting')
        expect(before.waitMs - verdict.waitMs).toBeLessThan(2_000);
    });
    expect(again.map(({ kind }) => kind)).toEqual(first.map(({ kind }) => kind));
  });

  it('admits a request at its place, with the time that it waited', async () => {
    const rate = { ...slow, intervalMs: 1_000 };
    const [redis] = workers;
    expect(await admitRequest(redis, query('a', { rate }))).toEqual({ kind: 'admitted', waitedMs: 0, probe: '' });
    const first = await admitRequest(redis, query('b', { rate }));
    if (first.kind !== 'waiting') throw new Error(`the second request is ${first.kind}`);
    const waitedMs = await until(async () => {
      const verdict = await admitRequest(redis, query('b', { rate }));
      return verdict.kind === 'admitted' && verdict.waitedMs;
    });
    // It may be sent 2 ms early.
    expect(waitedMs).toBeGreaterThanOrEqual(first.waitMs - 2);
  });

  it('lets a burst through, gives no place beyond the longest wait, and limits each host and credential', async () => {
    const [redis] = workers;
    const rate = { intervalMs: 60_000, burst: 3, maxWaitMs: 60_000 };
    const verdicts: string[] = [];
    for (let n = 0; n < 6; n += 1) verdicts.push((await admitRequest(redis, query(`${n}`, { rate }))).kind);
    expect(verdicts).toEqual(['admitted', 'admitted', 'admitted', 'waiting', 'limited', 'limited']);
    expect((await admitRequest(redis, query('x', { rate }, 'other.example'))).kind).toBe('admitted');
    const others = { ...query('x', { rate }), credentialId: 'others' };
    expect((await admitRequest(redis, others)).kind).toBe('admitted');
  });

  it('gives a request that is much too late a new place, and remembers since when it waits', async () => {
    const [redis] = workers;
    const ask = (ticket: string) => admitRequest(redis, query(ticket, { rate: slow }));
    await ask('first');
    await ask('late');
    const [rateKey, , ticketKey] = trafficKeys(credentialId, 'api.example', 'late');
    const now = Date.now();
    await redis.set(rateKey, `${now} 10000`);
    for (const [at, kind] of [
      [now - 5_000, 'admitted'],
      [now - 60_000, 'waiting'],
    ] as const) {
      await redis.set(ticketKey, `${at} ${now - 90_000} 10000`);
      // The free place is taken, so that a new one is not at once.
      await redis.set(rateKey, `${now + 30_000} 10000`);
      expect((await ask('late')).kind).toBe(kind);
    }
    expect((await redis.get(ticketKey))?.split(' ')[1]).toBe(`${now - 90_000}`);
  });

  it('begins anew when the interval is changed', async () => {
    const [redis] = workers;
    for (const ticket of ['a', 'b', 'c']) await admitRequest(redis, query(ticket, { rate: slow }));
    const faster = { ...slow, intervalMs: 5_000 };
    expect((await admitRequest(redis, query('c', { rate: faster }))).kind).toBe('admitted');
    expect((await admitRequest(redis, query('b', { rate: faster }))).kind).toBe('waiting');
  });

  it('has keys of a bounded length, however long the host is, and whatever the case of the credential', () => {
    const [key] = trafficKeys('ABC', 'a'.repeat(1_000_000), 't');
    expect(key.length).toBeLessThan(200);
    expect(trafficKeys('abc', 'a'.repeat(1_000_000), 't')[0]).toBe(key);
  });

  it('leaves no keys behind', async () => {
    const [redis] = workers;
    await admitRequest(redis, query('a', { rate: slow }));
    await admitRequest(redis, query('b', { rate: slow }));
    const [rateKey, , ticketKey] = trafficKeys(credentialId, 'api.example', 'b');
    for (const key of [rateKey, ticketKey]) expect(await redis.pttl(key)).toBeGreaterThan(0);
  });
});

describe('a circuit', () => {
  const circuit: TrafficCircuit = {
    ...{ failuresInRow: 3, failurePercent: 0, windowMs: 60_000, minRequests: 10 },
    ...{ openMs: 60_000, probes: 1 },
  };
  const admit = (limits = circuit, index: 0 | 1 = 0) => admitRequest(workers[index], query('t', { circuit: limits }));
  const report = (outcome: 'success' | 'failure' | 'unknown', probe = '', limits = circuit, index: 0 | 1 = 1) =>
    reportRequest(workers[index], query('t', { circuit: limits }), limits, { outcome, probe });
  /** Moves the end of its open time to now. */
  const passOpenTime = () => workers[0].hset(trafficKeys(credentialId, 'api.example', 't')[1], 'until', 0);
  const probe = async (limits = circuit) => {
    const verdict = await admit(limits);
    if (verdict.kind !== 'admitted' || verdict.probe === '') throw new Error(`no probe: ${JSON.stringify(verdict)}`);
    return verdict.probe;
  };

  it('opens after failures in a row of all workers, and a success in between counts', async () => {
    for (const outcome of ['failure', 'failure', 'success', 'unknown', 'failure', 'failure'] as const)
      await report(outcome);
    expect(await admit()).toEqual({ kind: 'admitted', waitedMs: 0, probe: '' });
    await report('failure', '', circuit, 0);
    const open = await admit(circuit, 1);
    expect(open.kind).toBe('open');
    if (open.kind === 'open') expect(Math.abs(open.waitMs - 60_000)).toBeLessThan(2_000);
  });

  it('opens by a share of enough requests in a window', async () => {
    const share = { ...circuit, failuresInRow: 0, failurePercent: 50, minRequests: 4 };
    for (const outcome of ['failure', 'success', 'failure'] as const) await report(outcome, '', share);
    expect((await admit(share)).kind).toBe('admitted');
    await report('success', '', share);
    await report('failure', '', share);
    expect((await admit(share)).kind).toBe('open');
  });

  it('lets one probe through when its time is over: a success closes it, a failure opens it again', async () => {
    for (let n = 0; n < 3; n += 1) await report('failure');
    await passOpenTime();
    const verdicts = await Promise.all(Array.from({ length: 10 }, (_, n) => admit(circuit, n % 2 === 0 ? 0 : 1)));
    expect(verdicts.filter(({ kind }) => kind === 'admitted')).toHaveLength(1);
    const [first] = verdicts.flatMap((verdict) => (verdict.kind === 'admitted' ? [verdict.probe] : []));
    await report('failure', first);
    expect((await admit()).kind).toBe('open');
    await passOpenTime();
    const second = await probe();
    // Reports of others, which were sent before it opened, or of a probe of an earlier time.
    await report('success');
    await report('success', first);
    expect((await admit()).kind).toBe('open');
    await report('success', second);
    expect(await admit()).toEqual({ kind: 'admitted', waitedMs: 0, probe: '' });
  });

  it('gives the place of a probe that says nothing, or never reports, to another', async () => {
    for (let n = 0; n < 3; n += 1) await report('failure');
    await passOpenTime();
    await report('unknown', await probe());
    await probe();
    expect((await admit()).kind).toBe('open');
    await workers[0].hset(trafficKeys(credentialId, 'api.example', 't')[1], 'probesUntil', 1);
    await report('success', await probe());
    expect(await admit()).toEqual({ kind: 'admitted', waitedMs: 0, probe: '' });
  });

  it('that is open takes no place of the rate', async () => {
    for (let n = 0; n < 3; n += 1) await report('failure');
    const [redis] = workers;
    const both = query('r', { circuit, rate: slow });
    expect((await admitRequest(redis, both)).kind).toBe('open');
    await passOpenTime();
    await probe();
    // Also while its only probe has not reported.
    expect((await admitRequest(redis, both)).kind).toBe('open');
    expect(await redis.exists(trafficKeys(credentialId, 'api.example', 'r')[0])).toBe(0);
  });
});
