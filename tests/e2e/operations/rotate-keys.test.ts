import { createDatabase, type Database, listSealed, updateCredential } from '@deckhand/db';
import { createSecretBox } from '@deckhand/runtime';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import {
  chain,
  createTestDatabase,
  runOps,
  type Seed,
  seedWorkflow,
  spawnApp,
  startReceiver,
  startTestRedis,
  stopAll,
  stopLater,
  until,
} from '../../harness/index.ts';

const FORMER = 'the former key of thirty-two characters or more';
const PRESENT = 'the present key of thirty-two characters or more';
const FOREIGN = 'a key that nobody has, of thirty-two characters or more';
const ROTATING = { ENCRYPTION_KEY: PRESENT, ENCRYPTION_KEYS_OLD: FORMER };

let stores: { DATABASE_URL: string; REDIS_URL: string };
let db: Database;

beforeAll(async () => {
  const database = await createTestDatabase();
  stores = { DATABASE_URL: database.url, REDIS_URL: (await startTestRedis()).url };
  db = createDatabase({ url: database.url, poolSize: 4 });
  stopLater({ stop: () => db.$disconnect() });
});
afterAll(stopAll);

const actorOf = ({ userId }: Seed) => ({ userId, boundTo: null });

async function keep({ workspaceId }: Seed, token: string, key: string): Promise<string> {
  const secret = await createSecretBox(key).seal(JSON.stringify({ token }));
  const data = { id: uuidv7(), workspaceId, name: token, type: 'bearer', secret } as const;
  return (await db.credential.create({ data })).id;
}

async function sealedIn(holder: 'credential' | 'version'): Promise<Map<string, string>> {
  const rows = await listSealed(db, holder, { afterId: undefined, limit: 10_000 });
  return new Map(rows.map(({ id, sealed }) => [id, sealed]));
}

async function rotate(...args: string[]): Promise<{ exitCode: number | null; answer: Record<string, unknown> }> {
  const { DATABASE_URL } = stores;
  const { exitCode, stdout } = await runOps(['rotate-keys', '--json', ...args], { DATABASE_URL, ...ROTATING });
  return { exitCode, answer: JSON.parse(stdout) };
}

describe('changing the encryption key', () => {
  it('continues while workers use credentials and people replace them, and the former key can be removed', async () => {
    const receiver = await startReceiver(() => 20);
    const seed = await seedWorkflow(db, chain({ id: 'seed', type: 'set', parameters: { fields: {} } }));
    const ids = await Promise.all(Array.from({ length: 450 }, (_, index) => keep(seed, `token-${index}`, FORMER)));
    const version = await db.workflowVersion.findFirstOrThrow({ where: { workflowId: seed.workflowId } });
    const hook = { hook: { secret: await createSecretBox(FORMER).seal('shh') } };
    await db.workflowVersion.update({ where: { id: version.id }, data: { sealedSecrets: hook } });
    const sealedOfPerson = await createSecretBox(FORMER).seal('of a person');
    const session = { id: uuidv7(), userId: seed.userId, tokenHash: 'hash', expiresAt: new Date(Date.now() + 60_000) };
    await db.session.create({ data: { ...session, sealedIdToken: sealedOfPerson } });
    await db.authenticator.create({ data: { userId: seed.userId, secret: sealedOfPerson } });
    const caller = await seedWorkflow(
      db,
      chain({ id: 'call', type: 'http', credentialId: ids[0]!, parameters: { url: `${receiver.url}/a` } }),
    );
    // The run's workspace must own the credential.
    await db.credential.update({ where: { id: ids[0]! }, data: { workspaceId: caller.workspaceId } });
    const worker = await spawnApp('worker', { ...stores, ...ROTATING });

    expect(await rotate('--dry-run')).toMatchObject({
      exitCode: 0,
      answer: {
        resealed: 0,
        stale: { credential: 450, connection: 0, eventSecret: 0, idToken: 1, authenticator: 1, version: 1 },
        locked: [],
      },
    });
    const accepted: Promise<string>[] = [];
    const replaced: string[] = [];
    const rotation = { isOver: false };
    const people = (async () => {
      for (let turn = 0; !rotation.isOver; turn += 1) {
        accepted.push(caller.accept());
        const id = ids[1 + (turn % (ids.length - 1))]!;
        const sealedSecret = await createSecretBox(PRESENT).seal(JSON.stringify({ token: `replaced-${id}` }));
        await updateCredential(db, actorOf(seed), id, { sealedSecret });
        replaced.push(id);
      }
    })();
    const rotated = await rotate('--yes');
    rotation.isOver = true;
    await people;
    expect(rotated).toMatchObject({
      exitCode: 0,
      answer: {
        stale: { credential: 0, connection: 0, eventSecret: 0, idToken: 0, authenticator: 0, version: 0 },
        locked: [],
      },
    });
    await worker.stop();

    const present = createSecretBox(PRESENT);
    const sealed = await sealedIn('credential');
    for (const [index, id] of ids.entries()) {
      const token = replaced.includes(id) ? `replaced-${id}` : `token-${index}`;
      expect(JSON.parse(await present.open(sealed.get(id)!))).toEqual({ token });
    }
    const { hook: parameters } = JSON.parse((await sealedIn('version')).get(version.id)!);
    expect(await present.open(parameters.secret)).toBe('shh');
    const kept = await db.session.findUniqueOrThrow({ where: { id: session.id } });
    const authenticator = await db.authenticator.findUniqueOrThrow({ where: { userId: seed.userId } });
    for (const each of [kept.sealedIdToken, authenticator.secret])
      expect(await present.open(each ?? '')).toBe('of a person');

    const without = await spawnApp('worker', { ...stores, ENCRYPTION_KEY: PRESENT });
    const runs = (await Promise.all(accepted)).length;
    const ended = () =>
      db.execution.count({
        where: { workflowId: caller.workflowId, status: { not: 'pending' }, finishedAt: { not: null } },
      });
    await until(async () => (await ended()) === runs, 'the end of all runs');
    expect(await db.execution.count({ where: { workflowId: caller.workflowId, status: 'success' } })).toBe(runs);
    process.stdout.write(`keys rotated under ${runs} runs and ${replaced.length} replaced credentials\n`);
    await without.stop();
  });

  it('re-encrypts what it can and names what no key opens, without printing a secret', async () => {
    const seed = await seedWorkflow(db, chain({ id: 'seed', type: 'set', parameters: { fields: {} } }));
    const [open, locked] = [await keep(seed, 'mine', FORMER), await keep(seed, 'theirs', FOREIGN)];
    const before = (await sealedIn('credential')).get(locked);
    const { DATABASE_URL } = stores;
    const run = await runOps(['rotate-keys', '--yes'], { DATABASE_URL, ...ROTATING });
    expect(run.exitCode).toBe(1);
    expect(run.stderr).toContain(
      `credential ${locked} cannot be decrypted: encrypted with the key ${createSecretBox(FOREIGN).keyId}`,
    );
    expect(run.stdout).toMatch(/Encrypted 1 again.*1 cannot be decrypted/);
    for (const word of [FORMER, PRESENT, FOREIGN, 'mine', 'theirs'])
      expect(run.stdout + run.stderr).not.toContain(word);
    const sealed = await sealedIn('credential');
    expect(sealed.get(locked)).toBe(before);
    expect(JSON.parse(await createSecretBox(PRESENT).open(sealed.get(open)!))).toEqual({ token: 'mine' });
    await db.credential.delete({ where: { id: locked } });
  });

  it('says at the start of the API that credentials cannot be opened', async () => {
    const seed = await seedWorkflow(db, chain({ id: 'seed', type: 'set', parameters: { fields: {} } }));
    const locked = await keep(seed, 'theirs', FOREIGN);
    const api = await spawnApp('api', { ...stores, ...ROTATING });
    await until(() => api.output().includes('neither ENCRYPTION_KEY nor among ENCRYPTION_KEYS_OLD'));
    expect(api.output()).toContain('"credentials":1');
    await api.stop();
    await db.credential.delete({ where: { id: locked } });
  });

  it.each([
    ['ENCRYPTION_KEY', { ENCRYPTION_KEY: 'hunter2' }],
    [
      'ENCRYPTION_KEYS_OLD',
      { ENCRYPTION_KEY: PRESENT, ENCRYPTION_KEYS_OLD: '["hunter2 is not a key of this instance"' },
    ],
  ])('refuses a bad %s by its name', async (name, keys) => {
    const run = await runOps(['rotate-keys'], { DATABASE_URL: stores.DATABASE_URL, ...keys });
    expect(run).toMatchObject({ exitCode: 2, stdout: '' });
    expect(run.stderr).toContain(name);
    expect(run.stderr).not.toContain('hunter2');
  });
});
