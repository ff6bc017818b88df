import type { Credential, JsonObject, JsonValue } from '@deckhand/contracts';
import { NodeError, type NodeContext } from '@deckhand/engine';
import { createMemoryFiles } from '@deckhand/testing/memory-files';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { createServer, type Socket } from 'node:net';
import ssh2, { type FileEntry } from 'ssh2';
import { stopAll, stopLater } from '../../../../tests/harness/cleanup.ts';
import { NO_SERVICES, nodeContext } from '../../../../tests/harness/node-context.ts';
import { until } from '../../../../tests/harness/until.ts';
import { type SftpTricks, startTestSftpServer, type TestSftpServer } from '../../../../tests/harness/sftp-server.ts';
import { createSftpClient } from '../sftp/client.ts';
import node from './sftp.ts';

type Secret = Extract<Credential, { type: 'sftp' }>['secret'];

const sftp = createSftpClient({ allowPrivate: true });
const files = createMemoryFiles();
let server: TestSftpServer;

beforeAll(async () => {
  server = await startTestSftpServer();
});
beforeEach(() => {
  server.files.clear();
  server.files.set('/', Buffer.alloc(0));
  server.log.length = 0;
});
afterAll(stopAll);

const loginOf = ({ host, port, fingerprint }: Pick<TestSftpServer, 'host' | 'port' | 'fingerprint'>): Secret => {
  return { host, port, fingerprint, username: 'ada', password: 'secret' };
};

async function run(
  parameters: JsonObject,
  { secret = loginOf(server), ...context }: Partial<NodeContext> & { secret?: Secret } = {},
): Promise<JsonValue> {
  const credential = () => Promise.resolve({ type: 'sftp' as const, secret });
  const outcome = await node.run(
    parameters,
    nodeContext({ services: { ...NO_SERVICES, sftp }, files, credential, ...context }),
  );
  if (outcome.kind !== 'output') throw new Error(outcome.kind);
  return outcome.output;
}

const put = (path: string, text = path) => run({ operation: 'put', path, text });

const contents = () => Object.fromEntries([...server.files].map(([path, content]) => [path, content.toString()]));

describe('an sftp node', () => {
  it('puts a file and gets it again', async () => {
    const bytes = randomBytes(100_000);
    const { file } = await files.save([bytes], { name: 'x', contentType: 'application/pdf' });
    expect(await run({ operation: 'put', path: 'a ü.pdf', file: { file } })).toEqual({
      path: 'a ü.pdf',
      bytes: 100_000,
    });
    expect(server.files.get('/a ü.pdf')?.equals(bytes)).toBe(true);
    expect(await run({ operation: 'get', path: '/a ü.pdf' })).toEqual({ file: { ...file, name: 'a ü.pdf' } });
  });

  it.each([0, 1, 32_768, 1_048_576, 2_500_000])('gets a file of %i bytes', async (length) => {
    const bytes = randomBytes(length);
    server.files.set('/file', bytes);
    expect(await run({ operation: 'get', path: 'file' })).toMatchObject({ file: { bytes: length } });
  });

  it('puts under a name of each attempt first, and deletes those of earlier ones', async () => {
    await run({ operation: 'mkdir', path: 'in' });
    await put('in/a.csv', 'one');
    const [opened = '', renamed] = server.log;
    const part = opened.replace('open ', '');
    expect(part).toMatch(/^in\/\.deckhand-[0-9a-f]{16}-[0-9a-f]{16}\.part$/);
    expect(renamed).toBe(`rename ${part} in/a.csv`);
    server.files.set(`/${part}`, Buffer.from('half'));
    await put('in/a.csv', 'two');
    expect(server.log.filter((line) => line === opened)).toHaveLength(1);
    expect(contents()).toEqual({ '/': '', '/in/': '', '/in/a.csv': 'two' });
  });

  it.each([
    ['a missing file', { path: 'none', target: 'a' }, 'SFTP_NOT_FOUND'],
    ['a file to itself', { path: 'a', target: 'a' }, undefined],
    ['a file to itself, written otherwise', { path: './a', target: 'a' }, 'SFTP_NOT_FOUND'],
    ['a file to a folder', { path: 'a', target: 'in' }, 'SFTP_FAILED'],
  ])('loses nothing where a server replaces nothing: %s', async (_what, move, code) => {
    await put('a', 'only');
    await run({ operation: 'mkdir', path: 'in' });
    const moved = run({ operation: 'move', ...move });
    if (code === undefined) await moved;
    else await expect(moved).rejects.toMatchObject({ code });
    expect(contents()).toEqual({ '/': '', '/a': 'only', '/in/': '' });
  });

  it('goes on with a move whose response was lost, and puts back what was set aside', async () => {
    await put('a', 'new');
    await put('b', 'old');
    await run({ operation: 'move', path: 'a', target: 'b' });
    const aside = `/${server.log.find((line) => line.startsWith('rename b '))?.slice('rename b '.length)}`;
    server.files.set(aside, Buffer.from('old'));
    expect(await run({ operation: 'move', path: 'a', target: 'b' })).toEqual({ path: 'b' });
    expect(contents()).toEqual({ '/': '', '/b': 'new' });
    server.files.delete('/b');
    server.files.set(aside, Buffer.from('old'));
    await expect(run({ operation: 'move', path: 'a', target: 'b' })).rejects.toMatchObject({ code: 'SFTP_NOT_FOUND' });
    expect(contents()).toEqual({ '/': '', '/b': 'old' });
  });

  it('keeps both files when a put can neither replace nor undo', async () => {
    let renames = 0;
    const failing = await startTestSftpServer({
      onRename(session, id) {
        renames += 1;
        if (renames <= 2) return false;
        session.status(id, ssh2.utils.sftp.STATUS_CODE.PERMISSION_DENIED);
        return true;
      },
    });
    const secret = loginOf(failing);
    await run({ operation: 'put', path: 'a', text: 'old' }, { secret });
    const failed = run({ operation: 'put', path: 'a', text: 'new' }, { secret });
    await expect(failed).rejects.toMatchObject({ code: 'SFTP_FAILED', isRetryable: true });
    expect([...failing.files.values()].map(String).sort()).toEqual(['', 'new', 'old']);
  });

  it('leaves nothing behind when a put fails', async () => {
    const refusing = await startTestSftpServer({
      onRename: (session, id) => {
        session.status(id, ssh2.utils.sftp.STATUS_CODE.PERMISSION_DENIED);
        return true;
      },
    });
    const failed = run({ operation: 'put', path: 'a', text: 'a' }, { secret: loginOf(refusing) });
    await expect(failed).rejects.toMatchObject({ code: 'SFTP_FAILED', isRetryable: false });
    expect([...refusing.files.keys()]).toEqual(['/']);
  });

  it('lists, moves and deletes', async () => {
    await run({ operation: 'mkdir', path: 'a/b/c' });
    await run({ operation: 'mkdir', path: 'a/b/c' });
    for (const name of ['2', '1\n2', '3']) await put(`a/${name}`);
    expect(await run({ operation: 'list', path: '/a' })).toEqual({
      entries: [
        { name: '1\n2', path: '/a/1\n2', type: 'file', bytes: 5, modifiedAt: '2026-01-01T00:00:00.000Z' },
        { name: '2', path: '/a/2', type: 'file', bytes: 3, modifiedAt: '2026-01-01T00:00:00.000Z' },
        { name: '3', path: '/a/3', type: 'file', bytes: 3, modifiedAt: '2026-01-01T00:00:00.000Z' },
        { name: 'b', path: '/a/b', type: 'folder', bytes: 0, modifiedAt: '2026-01-01T00:00:00.000Z' },
      ],
      isComplete: true,
    });
    expect(await run({ operation: 'move', path: 'a/2', target: 'a/3' })).toEqual({ path: 'a/3' });
    expect(server.files.get('/a/3')?.toString()).toBe('a/2');
    expect(await run({ operation: 'delete', path: 'a/3' })).toEqual({ path: 'a/3', existed: true });
    expect(await run({ operation: 'delete', path: 'a/3' })).toEqual({ path: 'a/3', existed: false });
    expect(await run({ operation: 'delete', path: 'a/b/c' })).toEqual({ path: 'a/b/c', existed: true });
  });

  it('replaces nothing if it must not', async () => {
    await put('a', 'kept');
    const failure = { code: 'SFTP_EXISTS', isRetryable: false };
    const again = run({ operation: 'put', path: 'a', text: 'new', overwrite: false });
    await expect(again).rejects.toMatchObject(failure);
    await put('b');
    await expect(run({ operation: 'move', path: 'b', target: 'a', overwrite: false })).rejects.toMatchObject(failure);
    expect(server.files.get('/a')?.toString()).toBe('kept');
    expect([...server.files.keys()]).toEqual(['/', '/a', '/b']);
  });

  it.each([
    [{ operation: 'get', path: 'none' }, 'SFTP_NOT_FOUND'],
    [{ operation: 'list', path: 'none' }, 'SFTP_NOT_FOUND'],
    [{ operation: 'move', path: 'none', target: 'a' }, 'SFTP_NOT_FOUND'],
    [{ operation: 'get', path: 'a\0b' }, 'PARAMETERS_INVALID'],
    [{ operation: 'put', path: 'a' }, 'PARAMETERS_INVALID'],
    [{ operation: 'move', path: 'a' }, 'PARAMETERS_INVALID'],
  ])('fails %j with %s', async (parameters, code) => {
    await expect(run(parameters)).rejects.toMatchObject({ code, isRetryable: false });
  });
});

describe('a login', () => {
  it('is not tried at a server with another key, and the error has the fingerprint of that', async () => {
    const fingerprint = `SHA256:${'A'.repeat(43)}`;
    let logins = 0;
    const other = await startTestSftpServer({ onAuthentication: () => (logins += 1) < 0 });
    const failed = run({ operation: 'list', path: '.' }, { secret: { ...loginOf(other), fingerprint } });
    await expect(failed).rejects.toMatchObject({
      code: 'SFTP_HOST_KEY',
      isRetryable: false,
      message: expect.stringContaining(other.fingerprint),
    });
    expect(logins).toBe(0);
  });

  it('with a wrong password fails, and does not show it', async () => {
    const secret = { ...loginOf(server), password: 'wrong password' };
    const failed: unknown = await run({ operation: 'list', path: '.' }, { secret }).catch((error: unknown) => error);
    expect(failed).toMatchObject({ code: 'SFTP_LOGIN_FAILED', isRetryable: false });
    expect(String(failed)).not.toContain('wrong password');
  });

  it('answers a prompt for the password', async () => {
    const asking = await startTestSftpServer({
      onAuthentication(context) {
        if (context.method !== 'keyboard-interactive') context.reject(['keyboard-interactive']);
        else
          context.prompt([{ prompt: 'Password: ' }], ([given]) =>
            given === 'secret' ? context.accept() : context.reject(),
          );
        return true;
      },
    });
    expect(await run({ operation: 'list', path: '/' }, { secret: loginOf(asking) })).toMatchObject({
      isComplete: true,
    });
  });

  it('is refused at a private address', async () => {
    const guarded = { ...NO_SERVICES, sftp: createSftpClient({ allowPrivate: false }) };
    const failed = run({ operation: 'list', path: '.' }, { services: guarded });
    await expect(failed).rejects.toMatchObject({ code: 'ADDRESS_REFUSED', isRetryable: false });
  });
});

describe('connections', () => {
  it('are limited by credential and workspace, leave room for others, and end with their nodes', async () => {
    let logins = 0;
    const slow = await startTestSftpServer({ onAuthentication: () => (logins += 1) > 0 });
    const abort = new AbortController();
    const use = (workspaceId: string, credentialId: string) => {
      const context = { workspaceId, credentialId, secret: loginOf(slow), signal: () => abort.signal };
      return run({ operation: 'delete', path: 'x' }, context).catch((error: unknown) => error);
    };
    const many = ['a', 'b', 'c', 'd', 'e'].flatMap((id) => Array.from({ length: 7 }, () => use('many', id)));
    await until(() => Promise.resolve(logins === 20), '20 logins of a workspace');
    const few = Array.from({ length: 7 }, () => use('few', 'a'));
    await until(() => Promise.resolve(logins >= 25), '5 logins of another one');
    expect(logins).toBe(25);
    const late = new NodeError('NODE_TIMEOUT', 'late');
    abort.abort(late);
    expect(new Set(await Promise.all([...many, ...few]))).toEqual(new Set([late]));
    expect(logins).toBe(25);
    await put('a');
  });
});

describe('a hostile server', () => {
  /** What a server does with a connection. */
  async function serveRaw(onConnection: (socket: Socket) => void): Promise<Secret> {
    const raw = createServer((socket) => {
      // What the client sends is read, so that its end is noticed.
      socket.on('error', () => undefined).resume();
      onConnection(socket);
    });
    await new Promise<void>((resolve) => raw.listen(0, '127.0.0.1', resolve));
    stopLater({ stop: () => new Promise<void>((resolve) => raw.close(() => resolve())) });
    const address = raw.address();
    if (address === null || typeof address === 'string') throw new Error('the server has no port');
    return loginOf({ host: '127.0.0.1', port: address.port, fingerprint: server.fingerprint });
  }
  const tricky = async (tricks: SftpTricks): Promise<Secret> => loginOf(await startTestSftpServer(tricks));
  const get = (secret: Secret, context: Partial<NodeContext> = {}) =>
    run({ operation: 'get', path: 'file' }, { secret, ...context });

  it.each([
    ['sends nothing but a banner without an end', 'never\n'.repeat(10_000)],
    ['sends a line without an end', 'x'.repeat(100_000)],
    ['speaks another protocol', 'HTTP/1.1 400 Bad Request\r\n\r\n'],
    ['sends random bytes after its name', `SSH-2.0-x\r\n${randomBytes(100_000).toString('latin1')}`],
  ])('that %s fails the node', async (_what, text) => {
    const secret = await serveRaw((socket) => {
      const send = (): void => {
        while (!socket.destroyed && socket.write(text, 'latin1'));
      };
      socket.on('drain', send);
      send();
    });
    await expect(get(secret)).rejects.toMatchObject({ code: 'SFTP_UNREACHABLE' });
  });

  it('that closes the connection fails the node', async () => {
    const secret = await serveRaw((socket) => socket.end());
    await expect(get(secret)).rejects.toMatchObject({ code: 'SFTP_UNREACHABLE', isRetryable: true });
  });

  it('that never responds ends with the time of the node', async () => {
    const accepted = new AbortController();
    const secret = await serveRaw(() => accepted.abort(new NodeError('NODE_TIMEOUT', 'late')));
    await expect(get(secret, { signal: () => accepted.signal })).rejects.toMatchObject({ code: 'NODE_TIMEOUT' });
  });

  it('that stops to respond in the middle ends with the time of the node', async () => {
    const abort = new AbortController();
    const secret = await tricky({
      onRead() {
        abort.abort(new NodeError('NODE_TIMEOUT', 'late'));
        return true;
      },
    });
    await run({ operation: 'put', path: 'file', text: 'x' }, { secret });
    await expect(get(secret, { signal: () => abort.signal })).rejects.toMatchObject({ code: 'NODE_TIMEOUT' });
  });

  it('whose file never ends fails the node with the limit of files', async () => {
    const secret = await tricky({
      onRead(session, id, _offset, length) {
        session.data(id, Buffer.alloc(length));
        return true;
      },
    });
    await run({ operation: 'put', path: 'file', text: 'x' }, { secret });
    const limited = {
      ...files,
      async save(content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>) {
        let bytes = 0;
        for await (const piece of content) {
          bytes += piece.byteLength;
          if (bytes > 3_000_000) throw new NodeError('FILE_TOO_LARGE', 'too large', { isRetryable: false });
        }
        throw new Error('the file has an end');
      },
    };
    await expect(get(secret, { files: limited })).rejects.toMatchObject({ code: 'FILE_TOO_LARGE' });
  });

  it('with a folder that never ends is read up to the limit', async () => {
    let lists = 0;
    const secret = await tricky({
      onList(session, id) {
        lists += 1;
        session.name(
          id,
          Array.from({ length: 100 }, (_, at) => entry(`${lists}-${at}`)),
        );
        return true;
      },
    });
    const listed = Object(await run({ operation: 'list', path: '/', limit: 250 }, { secret }));
    expect([listed.entries.length, listed.isComplete, lists]).toEqual([250, false, 3]);
  });

  it.each([
    ['with a slash', [entry('../../etc/passwd')]],
    ['without a character', [entry('')]],
    ['with a NUL', [entry('a\0b')]],
    ['of nothing', []],
  ])('with a list of names %s fails the node', async (_what, list) => {
    const secret = await tricky({
      onList(session, id) {
        session.name(id, list);
        return true;
      },
    });
    const failed = run({ operation: 'list', path: '/' }, { secret });
    await expect(failed).rejects.toMatchObject({ code: 'SFTP_FAILED', isRetryable: false });
  });

  function entry(filename: string): FileEntry {
    const attrs = { mode: 0o100644, uid: 0, gid: 0, size: 1, atime: 1, mtime: 1 };
    return { filename, longname: filename, attrs };
  }
});
