import { createHash, generateKeyPairSync } from 'node:crypto';
import { createServer, type Socket } from 'node:net';
import { posix } from 'node:path';
import ssh2, { type AuthContext, type FileEntry, type SFTPWrapper } from 'ssh2';
import { stopLater } from './cleanup.ts';

/** An SFTP server in this process, whose files are in memory. Folders end with a slash. */
export interface TestSftpServer {
  readonly host: string;
  readonly port: number;
  /** The fingerprint of its key. */
  readonly fingerprint: string;
  readonly files: Map<string, Buffer>;
  /** Paths that were opened, renamed and removed, in order. */
  readonly log: string[];
}

/** Replaces the response to requests. Returns whether it has responded. */
export interface SftpTricks {
  readonly onRead?: (sftp: SFTPWrapper, id: number, offset: number, length: number) => boolean;
  readonly onList?: (sftp: SFTPWrapper, id: number) => boolean;
  readonly onRename?: (sftp: SFTPWrapper, id: number) => boolean;
  readonly onAuthentication?: (context: AuthContext) => boolean;
}

const { OPEN_MODE, STATUS_CODE } = ssh2.utils.sftp;

/** Starts a server that accepts the user `ada` with the password `secret`, and asks for it in either way. */
export async function startTestSftpServer(tricks: SftpTricks = {}): Promise<TestSftpServer> {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2_048,
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    publicKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });
  const parsed = ssh2.utils.parseKey(privateKey);
  if (parsed instanceof Error) throw parsed;
  const fingerprint = `SHA256:${createHash('sha256').update(parsed.getPublicSSH()).digest('base64').replace(/=+$/, '')}`;
  const files = new Map<string, Buffer>([['/', Buffer.alloc(0)]]);
  const log: string[] = [];
  const ssh = new ssh2.Server({ hostKeys: [privateKey] }, (client) => {
    client.on('error', () => undefined);
    client.on('authentication', (context) => {
      if (tricks.onAuthentication?.(context)) return;
      if (context.method === 'password' && context.username === 'ada' && context.password === 'secret')
        context.accept();
      else context.reject(['password']);
    });
    client.on('ready', () => {
      client.on('session', (accept) => {
        accept().on('sftp', (acceptSftp) => serveFiles(acceptSftp(), { files, log, tricks }));
      });
    });
  });
  const sockets = new Set<Socket>();
  // With the delay, each response of several packets takes 40 ms.
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    ssh.injectSocket(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stopLater({
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return { host: '127.0.0.1', port: address.port, fingerprint, files, log };
}

interface Serving {
  readonly files: Map<string, Buffer>;
  readonly log: string[];
  readonly tricks: SftpTricks;
}

function serveFiles(sftp: SFTPWrapper, { files, log, tricks }: Serving): void {
  const handles = new Map<number, { readonly path: string; isListed: boolean }>();
  let next = 0;
  const keyOf = (path: string): string => posix.resolve('/', path);
  const found = (path: string): string | undefined =>
    [keyOf(path), posix.join(keyOf(path), '/')].find((key) => files.has(key));
  const open = (id: number, path: string): void => {
    const handle = Buffer.alloc(4);
    handle.writeUInt32BE((next += 1));
    handles.set(next, { path, isListed: false });
    sftp.handle(id, handle);
  };
  const attributes = (key: string) => ({
    mode: key.endsWith('/') ? 0o040755 : 0o100644,
    size: files.get(key)?.length ?? 0,
    ...{ uid: 0, gid: 0, atime: 1_767_225_600, mtime: 1_767_225_600 },
  });
  const stat = (id: number, path: string): void => {
    const key = found(path);
    if (key === undefined) sftp.status(id, STATUS_CODE.NO_SUCH_FILE);
    else sftp.attrs(id, attributes(key));
  };
  const remove = (id: number, path: string): void => {
    const key = found(path);
    log.push(`remove ${path}`);
    if (key !== undefined) files.delete(key);
    sftp.status(id, key === undefined ? STATUS_CODE.NO_SUCH_FILE : STATUS_CODE.OK);
  };
  sftp.on('error', () => undefined);
  sftp.on('OPEN', (id, path, flags) => {
    log.push(`open ${path}`);
    const isWritten = (flags & OPEN_MODE.WRITE) !== 0;
    if (isWritten) files.set(keyOf(path), Buffer.alloc(0));
    if (files.has(keyOf(path))) open(id, keyOf(path));
    else sftp.status(id, STATUS_CODE.NO_SUCH_FILE);
  });
  sftp.on('READ', (id, handle, offset, length) => {
    if (tricks.onRead?.(sftp, id, offset, length)) return;
    const content = files.get(handles.get(handle.readUInt32BE())?.path ?? '') ?? Buffer.alloc(0);
    if (offset >= content.length) sftp.status(id, STATUS_CODE.EOF);
    // Less than was asked for, as servers may send.
    else sftp.data(id, content.subarray(offset, offset + Math.min(length, 20_000)));
  });
  sftp.on('WRITE', (id, handle, offset, data) => {
    const { path = '' } = handles.get(handle.readUInt32BE()) ?? {};
    const before = files.get(path) ?? Buffer.alloc(0);
    const content = Buffer.alloc(Math.max(before.length, offset + data.length));
    content.set(before);
    content.set(data, offset);
    files.set(path, content);
    sftp.status(id, STATUS_CODE.OK);
  });
  sftp.on('CLOSE', (id) => sftp.status(id, STATUS_CODE.OK));
  sftp.on('STAT', stat);
  sftp.on('LSTAT', stat);
  sftp.on('OPENDIR', (id, path) => {
    const key = found(path);
    if (key?.endsWith('/')) open(id, key);
    else sftp.status(id, STATUS_CODE.NO_SUCH_FILE);
  });
  sftp.on('READDIR', (id, handle) => {
    if (tricks.onList?.(sftp, id)) return;
    const entry = handles.get(handle.readUInt32BE());
    if (!entry || entry.isListed) {
      sftp.status(id, STATUS_CODE.EOF);
      return;
    }
    entry.isListed = true;
    const keys = [...files.keys()].filter(
      (key) => key !== entry.path && posix.join(posix.dirname(key), '/') === entry.path,
    );
    const named = ['.', '..', ...keys].map((key): FileEntry => {
      const filename = posix.basename(key);
      return { filename, longname: filename, attrs: attributes(key) };
    });
    sftp.name(id, named);
  });
  sftp.on('RENAME', (id, from, to) => {
    log.push(`rename ${from} ${to}`);
    if (tricks.onRename?.(sftp, id)) return;
    const key = found(from);
    const content = files.get(key ?? '');
    if (key === undefined || !content) {
      sftp.status(id, STATUS_CODE.NO_SUCH_FILE);
      return;
    }
    if (found(to) !== undefined) {
      sftp.status(id, STATUS_CODE.FAILURE);
      return;
    }
    files.delete(key);
    files.set(keyOf(to), content);
    sftp.status(id, STATUS_CODE.OK);
  });
  sftp.on('REMOVE', remove);
  sftp.on('RMDIR', remove);
  sftp.on('MKDIR', (id, path) => {
    files.set(posix.join(keyOf(path), '/'), Buffer.alloc(0));
    sftp.status(id, STATUS_CODE.OK);
  });
}
