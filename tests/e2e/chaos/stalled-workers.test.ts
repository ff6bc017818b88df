import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { expectSoon, type ObservedFleet, startObservedFleet } from '../../harness/fleet.ts';
import {
  chain,
  createWorkflow,
  expectWithin,
  itInTime,
  NEVER_MS,
  promised,
  startReceiver,
  startTcpProxy,
  stopAll,
  until,
} from '../../harness/index.ts';

let fleet: ObservedFleet;

beforeAll(async () => {
  fleet = await startObservedFleet();
});
afterAll(stopAll);

describe('the fleet', () => {
  itInTime('shows a worker whose queue is silent as stalled although its heart beats, and it recovers', async () => {
    const redis = await startTcpProxy(fleet.instance.redis.url);
    const worker = await fleet.startWorker({ redis });
    await fleet.untilSeen('started', worker, 'consuming', { live: 1, consuming: 1 });
    // Only the connection that fetches jobs: heartbeats have connections of their own.
    redis.silence((sent) => sent.includes('executions:marker'));
    const silent = await fleet.untilSeen('its queue silent', worker, 'stalled', { live: 1, consuming: 0 });
    const started = await fleet.execute(await fleet.createQuick());
    expect(started).toMatchObject({ workers: { live: 1, consuming: 0 }, warning: expect.any(String) });
    await redis.restore();
    await fleet.untilSeen('its queue back', worker, 'consuming', { live: 1, consuming: 1 });
    await until(async () => (await fleet.statusOf(started.executionId)) === 'success', 'the end of the run');
    await worker.stop();
    expectWithin(promised("a worker's queue does not respond"), silent.ms);
  });

  itInTime('shows a worker that cannot claim as stalled, and it leaves jobs to others', async () => {
    const postgres = await startTcpProxy(fleet.instance.databaseUrl);
    const worker = await fleet.startWorker({ postgres });
    await fleet.untilSeen('started', worker, 'consuming', { live: 1, consuming: 1 });
    await postgres.cut();
    const workflowId = await fleet.createQuick();
    const taken = await fleet.execute(workflowId);
    const away = await fleet.untilSeen('its database away', worker, 'stalled', { live: 1, consuming: 0 });
    const left = await fleet.execute(workflowId);
    const other = await fleet.startWorker();
    for (const { executionId } of [taken, left])
      await until(async () => (await fleet.statusOf(executionId)) === 'success', 'the end of the run');
    await postgres.restore();
    await fleet.untilSeen('its database back', worker, 'consuming', { live: 2, consuming: 2 });
    await Promise.all([worker.stop(), other.stop()]);
    expectWithin(promised("a worker's queue does not respond"), away.ms);
  });

  itInTime('counts a worker that is full as consuming for as long as its queue answers', async () => {
    const receiver = await startReceiver(() => NEVER_MS);
    const slow = await createWorkflow(
      fleet.instance,
      chain({ id: 'slow', type: 'http', parameters: { url: receiver.url, method: 'POST' } }),
    );
    const redis = await startTcpProxy(fleet.instance.redis.url);
    const worker = await fleet.startWorker({ redis }, { WORKER_CONCURRENCY: '1' });
    await fleet.execute(slow);
    await until(() => receiver.calls.length === 1, 'the call');
    const calledAt = receiver.calls[0]?.at ?? 0;
    // Longer than an idle worker may be without a response.
    await until(async () => {
      const [entry] = (await fleet.readFleet()).data;
      expect(entry).toMatchObject({ pid: worker.pid, state: 'consuming' });
      return Date.parse(entry?.lastSeenAt ?? '') > calledAt + 4_000;
    }, 'four more seconds of heartbeats');
    redis.silence((sent) => sent.includes('executions:marker') || sent.toLowerCase().includes('ping'));
    const silent = await fleet.untilSeen('full, its queue silent', worker, 'stalled', { live: 1, consuming: 0 });
    await redis.restore();
    await fleet.untilSeen('full, its queue back', worker, 'consuming', { live: 1, consuming: 1 });
    await worker.kill();
    await fleet.untilSeen('killed', worker, 'gone', { live: 0, consuming: 0 });
    expectSoon(silent);
  });
});
