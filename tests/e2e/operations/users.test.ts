import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { addPerson, addSession, type Instance, OWNER, runOps, startInstance, stopAll } from '../../harness/index.ts';

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance();
});
afterAll(stopAll);

const users = (...args: string[]) =>
  runOps(['users', ...args], { DATABASE_URL: instance.databaseUrl, PUBLIC_URL: 'https://deckhand.example/' });

const isIn = async (as: string) => (await instance.gateway.call('GET', '/api/auth/me', { as })).status === 200;

describe('an operator', () => {
  it('gives a person a link to a new password, which ends the sessions at once and works once', async () => {
    const person = await addPerson(instance);
    const { exitCode, stdout } = await users('reset-password', person.email.toUpperCase(), '--yes', '--json');
    expect(exitCode).toBe(0);
    const { email, link } = JSON.parse(stdout) as { email: string; link: string };
    expect([email, await isIn(person.session)]).toEqual([person.email, false]);
    const token = /^https:\/\/deckhand\.example\/reset-password#([\w-]{43})$/.exec(link)?.[1] ?? '';
    const kept = await instance.db.passwordReset.findUniqueOrThrow({ where: { userId: person.userId } });
    expect(kept.tokenHash).not.toContain(token);
    const newPassword = 'a password that I chose';
    const redeem = () =>
      instance.gateway.call('POST', '/api/auth/password-resets/redeem', { body: { token, newPassword } });
    expect([(await redeem()).status, (await redeem()).status]).toEqual([204, 404]);
    const body = { email: person.email, password: newPassword };
    expect((await instance.gateway.call('POST', '/api/auth/login', { body })).status).toBe(200);
  });

  it('removes a lost second factor with its recovery codes, and ends the sessions', async () => {
    const { userId, email, session } = await addPerson(instance);
    const { db } = instance;
    await db.authenticator.create({ data: { userId, secret: '-', confirmedAt: new Date() } });
    const passkey = { id: userId, userId, credentialId: userId, publicKey: new Uint8Array([1]), name: 'Key' };
    await db.passkey.create({ data: passkey });
    await db.recoveryCode.create({ data: { userId, codeHash: 'hash' } });
    const other = await addPerson(instance);
    await db.recoveryCode.create({ data: { userId: other.userId, codeHash: 'hash' } });
    const { exitCode, stdout } = await users('remove-second-factor', email, '--yes');
    expect([exitCode, stdout.trim()]).toEqual([0, `Removed 2 second factors of ${email}.`]);
    expect(await Promise.all([isIn(session), isIn(other.session)])).toEqual([false, true]);
    expect(await db.recoveryCode.findMany({ select: { userId: true } })).toEqual([{ userId: other.userId }]);
    const { token } = await addSession(instance, userId);
    const left = await instance.gateway.call('GET', '/api/auth/second-factors', { as: token });
    expect(left.body).toMatchObject({ authenticator: null, passkeys: [], recoveryCodesLeft: 0 });
    const entry = await db.auditEntry.findFirstOrThrow({ where: { action: 'user.removeSecondFactors' } });
    expect(entry).toMatchObject({ resourceId: userId, userId: null });
  });

  it.each([
    ['an address that nobody has', ['reset-password', 'nobody@example.com', '--yes'], /No active person has/],
    ['an address that nobody has', ['remove-second-factor', 'nobody@example.com', '--yes'], /Nobody has the address/],
    ['no confirmation', ['reset-password', OWNER.email], /--yes/],
    ['a password as argument', ['reset-password', OWNER.email, 'hunter2 hunter2', '--yes'], /too many arguments/],
  ])('with %s changes nothing', async (_, args, message) => {
    const { exitCode, stdout, stderr } = await users(...args);
    expect(stderr).toMatch(message);
    expect([exitCode, stdout, await isIn(instance.session)]).toEqual([2, '', true]);
  });
});
