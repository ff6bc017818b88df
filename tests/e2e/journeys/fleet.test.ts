import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { expectSoon, type ObservedFleet, startObservedFleet } from '../../harness/fleet.ts';
import { chain, createWorkflow, itInTime, startReceiver, stopAll, until } from '../../harness/index.ts';

let fleet: ObservedFleet;

beforeAll(async () => {
  fleet = await startObservedFleet();
});
afterAll(stopAll);

describe('the fleet', () => {
  itInTime('loses a worker that is frozen or killed, and gets the thawed one back', async () => {
    const worker = await fleet.startWorker();
    await fleet.untilSeen('started', worker, 'consuming', { live: 1, consuming: 1 });
    process.kill(worker.pid, 'SIGSTOP');
    const frozen = await fleet.untilSeen('frozen', worker, 'gone', { live: 0, consuming: 0 });
    process.kill(worker.pid, 'SIGCONT');
    const thawed = await fleet.untilSeen('thawed', worker, 'consuming', { live: 1, consuming: 1 });
    await worker.kill('SIGKILL');
    const killed = await fleet.untilSeen('killed', worker, 'gone', { live: 0, consuming: 0 });
    expectSoon(frozen, thawed, killed);
  });

  itInTime('shows a worker that drains as one that takes nothing, until it has left', async () => {
    const receiver = await startReceiver(() => 5_000);
    const slow = await createWorkflow(
      fleet.instance,
      chain({ id: 'slow', type: 'http', parameters: { url: receiver.url, method: 'POST' } }),
    );
    const worker = await fleet.startWorker();
    await fleet.execute(slow);
    await until(() => receiver.calls.length === 1, 'the call');
    const ended = worker.kill('SIGTERM');
    const draining = await fleet.untilSeen('draining', worker, 'draining', { live: 1, consuming: 0 });
    const started = await fleet.execute(await fleet.createQuick());
    expect(started).toMatchObject({ workers: { live: 1, consuming: 0 }, warning: expect.any(String) });
    await ended;
    const left = await fleet.untilSeen('left', worker, 'gone', { live: 0, consuming: 0 });
    expect(await worker.ended).toBe('code 0');
    // It left jobs after the signal to other workers.
    expect(await fleet.statusOf(started.executionId)).toBe('pending');
    const next = await fleet.startWorker();
    await until(async () => (await fleet.statusOf(started.executionId)) === 'success', 'the end of the run');
    await next.stop();
    expectSoon(draining, left);
  });
});
