import { describe, expect, it } from '@jest/globals';
import { setImmediate } from 'node:timers/promises';
import ssh2 from 'ssh2';
import { type KeyUser, openPrivateKey } from './private-key.ts';

/** Made by `ssh-keygen -t ed25519 -a 1`, for these tests only. */
const KEY = `-----BEGIN OPENSSH PRIVATE KEY-----
b3BlbnNzaC1rZXktdjEAAAAACmFlczI1Ni1jdHIAAAAGYmNyeXB0AAAAGAAAABBE/ifixI
Iz/OCPIjQVDcCbAAAAAQAAAAEAAAAzAAAAC3NzaC1lZDI1NTE5AAAAIIMIzcVvRA6d0nYv
eScXM8u2VHNhZH69Q5flaalaLIWAAAAAkLdTzzE/Nv0mX68w/1DPAGh6k07lIlBjeQpVDh
GkwhP+pj6SfeCBN5VPsHvQInkXhLe5edSw3Fj0ulntlpSMApn6muHUyt9VnDu4N0V6chHM
NCm96M2bb2lPX4ACO2lNOOgVPnZdI/oHBr6YtInjfRJf49oIXOZ7gOk0Tlg35YqcYVFU1m
B+P2fMd6nVk3Bm+g==
-----END OPENSSH PRIVATE KEY-----
`;

const user = (workspaceId = 'a', signal = new AbortController().signal): KeyUser => ({ workspaceId, signal });

describe('a private key with a passphrase', () => {
  it('is opened by it', async () => {
    const opened = ssh2.utils.parseKey((await openPrivateKey(KEY, 'pässword', user())).privateKey);
    if (opened instanceof Error) throw opened;
    expect([opened.type, opened.isPrivateKey()]).toEqual(['ssh-ed25519', true]);
  });

  it.each([
    ['another passphrase', KEY, 'other', 'has another passphrase'],
    ['no passphrase', KEY, undefined, 'needs a passphrase'],
    ['half of its text', `${KEY.slice(0, 200)}\n-----END OPENSSH PRIVATE KEY-----`, 'pässword', 'ends too early'],
    ['a part of its secret', withSecretOf(20), 'pässword', 'ends too early'],
    ['an empty secret', withSecretOf(0), 'pässword', 'ends too early'],
    ['a text that is not a key', KEY.replace('b3BlbnNz', 'AAAAAAAA'), 'pässword', 'is not in the format of OpenSSH'],
    ['the prototype of objects as its cipher', withCipher('__proto__'), 'pässword', 'encrypted with __proto__, which'],
    ['a method of objects as its cipher', withCipher('toString'), 'pässword', 'encrypted with toString, which'],
    ['very many rounds', withRounds(0xffffffff), 'pässword', 'has more than 256 rounds'],
    [
      'a character that is not base64',
      withRounds(0xffffffff).replace('\nb3', '\nb.3'),
      'pässword',
      'is not in the format',
    ],
  ])('is refused with %s', async (_what, key, passphrase, message) => {
    await expect(openPrivateKey(key, passphrase, user())).rejects.toMatchObject({
      code: 'CREDENTIAL_UNSUITABLE',
      isRetryable: false,
      message: expect.stringContaining(message),
    });
  });

  it('is refused with more rounds than its process has time for', async () => {
    const refused = { code: 'CREDENTIAL_UNSUITABLE', message: expect.stringContaining('has more than 24 rounds') };
    await expect(openPrivateKey(withRounds(25), 'x', { ...user(), maxRounds: 24 })).rejects.toMatchObject(refused);
  });

  it.each(['-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----', 'nothing'])(
    'in another format is left as it is: %j',
    async (key) => expect(await openPrivateKey(key, 'x', user())).toEqual({ privateKey: key, passphrase: 'x' }),
  );
});

describe('the derivation of a key', () => {
  it('ends with the time of its node', async () => {
    const abort = new AbortController();
    const opening = openPrivateKey(withRounds(256), 'pässword', user('a', abort.signal));
    await setImmediate();
    abort.abort(new Error('late'));
    await expect(opening).rejects.toThrow('late');
  });

  it('waits for the one before it, but not for others of its workspace', async () => {
    const order: string[] = [];
    const opens = ['a', 'a', 'a', 'b'].map((workspaceId) =>
      openPrivateKey(KEY, 'pässword', user(workspaceId)).then(() => order.push(workspaceId)),
    );
    await Promise.all(opens);
    expect(order).toEqual(['a', 'a', 'b', 'a']);
  });
});

/** Returns the key with only so many bytes of its encrypted part, which is the last one and has 144. */
function withSecretOf(length: number): string {
  const [begin = '', ...lines] = KEY.trim().split('\n');
  const end = lines.pop() ?? '';
  const bytes = Buffer.from(lines.join(''), 'base64');
  const at = bytes.length - 144;
  bytes.writeUInt32BE(length, at - 4);
  return [begin, bytes.subarray(0, at + length).toString('base64'), end].join('\n');
}

/** Returns the key with another number of rounds, which follows the 16 bytes of its salt. */
function withRounds(rounds: number): string {
  const [begin = '', ...lines] = KEY.trim().split('\n');
  const end = lines.pop() ?? '';
  const bytes = Buffer.from(lines.join(''), 'base64');
  bytes.writeUInt32BE(rounds, bytes.indexOf('bcrypt') + 'bcrypt'.length + 4 + 4 + 16);
  return [begin, bytes.toString('base64'), end].join('\n');
}

/** Returns the key with another cipher. */
function withCipher(name: string): string {
  const [begin = '', ...lines] = KEY.trim().split('\n');
  const end = lines.pop() ?? '';
  const [magic = '', rest = ''] = Buffer.from(lines.join(''), 'base64').toString('latin1').split('\0\0\0\naes256-ctr');
  const bytes = Buffer.from(`${magic}\0\0\0${String.fromCharCode(name.length)}${name}${rest}`, 'latin1');
  return [begin, bytes.toString('base64'), end].join('\n');
}
