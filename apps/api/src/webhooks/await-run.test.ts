import { createDatabase } from '@deckhand/db';
import { createLogger, createResultSignatures, createSecretBox } from '@deckhand/runtime';
import { afterAll, expect, it } from '@jest/globals';
import { createRunFollower } from '../runs/follow-runs.ts';
import { createAwaitRun } from './await-run.ts';

const RUN = '0193d6a2-1111-7000-8000-000000000001';
const OTHER_RUN = '0193d6a2-1111-7000-8000-000000000002';
const RESULT = '{"body":"done"}';

// No database listens there: what is read from it fails.
const db = createDatabase({ url: 'postgres://nobody@127.0.0.1:1/none', poolSize: 1 });
const follower = createRunFollower({ db, logger: createLogger({ name: 'test', level: 'silent' }) });
const signatures = createResultSignatures(createSecretBox('a'.repeat(64)));
const awaitRun = createAwaitRun({ db, follower, signatures });
afterAll(async () => {
  follower.close();
  await db.$disconnect();
});

const waitFor = (executionId: string) =>
  awaitRun(executionId, { timeoutMs: 60_000, signal: new AbortController().signal, isNew: true });

it('a result that comes with the notification of the end is not read', async () => {
  const outcome = waitFor(RUN);
  follower.notify([{ executionId: RUN, ended: 'success', signedResult: signatures.sign(RUN, RESULT) }]);
  expect(await outcome).toEqual({ resultJson: RESULT });
});

it('a result that was signed for another run is not used', async () => {
  const outcome = waitFor(RUN);
  follower.notify([{ executionId: RUN, ended: 'success', signedResult: signatures.sign(OTHER_RUN, RESULT) }]);
  await expect(outcome).rejects.toThrow(/ECONNREFUSED|reach/);
});
