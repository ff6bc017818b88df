import type { JsonObject, JsonValue } from '@deckhand/contracts';
import type { NodeContext, NodeType } from '@deckhand/engine';
import { createDatabase } from '@deckhand/db';
import { type LocalSshServer, startSshServer } from '@deckhand/local';
import { createHttpClient, createSftpClient, loadNodeTypes } from '@deckhand/nodes';
import { openFileStore } from '@deckhand/outputs';
import { createMemoryFiles } from '@deckhand/testing/memory-files';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chain, createTestDatabase, seedWorkflow, stopAll, stopLater } from '../../harness/index.ts';
import { NO_SERVICES, nodeContext, OUTPUTS_IN_POSTGRES } from '../../harness/node-context.ts';

const MIB = 1_048_576;
const files = createMemoryFiles();
const types = await loadNodeTypes();

afterAll(stopAll);

async function runNode(type: string, parameters: JsonObject, context: Partial<NodeContext>): Promise<JsonValue> {
  const node: NodeType | undefined = types.get(type);
  const outcome = await node?.run(parameters, nodeContext({ files, ...context }));
  if (outcome?.kind !== 'output') throw new Error(`the node has no output: ${outcome?.kind}`);
  return outcome.output;
}

function required(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is set by the part stores`);
  return value;
}

describe('an sftp node and OpenSSH', () => {
  let server: LocalSshServer;
  let folder: string;
  const sftp = createSftpClient({ allowPrivate: true });

  beforeAll(async () => {
    server = await startSshServer(required('SSH_SERVER'));
    stopLater(server);
    folder = await mkdtemp(join(tmpdir(), 'deckhand-sftp-'));
    stopLater({ stop: () => rm(folder, { recursive: true, force: true }) });
  });

  const run = (parameters: JsonObject, secret: object = {}) => {
    const { port, username, privateKey, passphrase, fingerprint } = server;
    const known = { host: '127.0.0.1', port, username, privateKey, passphrase, fingerprint };
    const credential = () => Promise.resolve({ type: 'sftp' as const, secret: { ...known, ...secret } });
    return runNode('sftp', parameters, { services: { ...NO_SERVICES, sftp }, credential });
  };

  it('exchange a file of many pieces, and replace one that is there', async () => {
    const bytes = randomBytes(3 * MIB + 17);
    const { file } = await files.save([bytes], { name: 'a' });
    const path = join(folder, 'ü b.bin');
    await writeFile(path, 'older');
    await run({ operation: 'put', path, file: { file } });
    expect(bytes.equals(await readFile(path))).toBe(true);
    expect(await readdir(folder)).toEqual(['ü b.bin']);
    expect(await run({ operation: 'get', path })).toEqual({ file: { ...file, name: 'ü b.bin' } });
  });

  it('make, list, move and delete, and replace nothing if asked', async () => {
    const inner = join(folder, 'x/y');
    await run({ operation: 'mkdir', path: inner });
    await run({ operation: 'put', path: join(inner, 'one\ntwo'), text: 'text' });
    await run({ operation: 'put', path: join(inner, 'b'), text: 'b' });
    const failed = run({
      operation: 'move',
      path: join(inner, 'b'),
      target: join(inner, 'one\ntwo'),
      overwrite: false,
    });
    await expect(failed).rejects.toMatchObject({ code: 'SFTP_EXISTS' });
    expect(await run({ operation: 'list', path: inner })).toMatchObject({
      entries: [{ name: 'b' }, { name: 'one\ntwo', type: 'file', bytes: 4 }],
      isComplete: true,
    });
    await run({ operation: 'move', path: join(inner, 'b'), target: join(inner, 'one\ntwo') });
    expect(await readFile(join(inner, 'one\ntwo'), 'utf8')).toBe('b');
    await expect(run({ operation: 'delete', path: inner })).rejects.toMatchObject({ code: 'SFTP_FAILED' });
    await run({ operation: 'delete', path: join(inner, 'one\ntwo') });
    expect(await run({ operation: 'delete', path: inner })).toEqual({ path: inner, existed: true });
  });

  it('list no more than asked of a folder with very many entries', async () => {
    const many = join(folder, 'many');
    await run({ operation: 'mkdir', path: many });
    await Promise.all(Array.from({ length: 3_000 }, (_, at) => writeFile(join(many, String(at)), '')));
    const listed = Object(await run({ operation: 'list', path: many, limit: 1_000 }));
    expect([listed.entries.length, listed.isComplete]).toEqual([1_000, false]);
  });

  it('read an empty file, and refuse another user, passphrase and another fingerprint', async () => {
    await writeFile(join(folder, 'empty'), '');
    expect(await run({ operation: 'get', path: join(folder, 'empty') })).toMatchObject({ file: { bytes: 0 } });
    const list = { operation: 'list', path: folder };
    await expect(run(list, { username: 'nobody-here' })).rejects.toMatchObject({ code: 'SFTP_LOGIN_FAILED' });
    await expect(run(list, { passphrase: 'wrong' })).rejects.toMatchObject({ code: 'CREDENTIAL_UNSUITABLE' });
    await expect(run(list, { fingerprint: `SHA256:${'A'.repeat(43)}` })).rejects.toMatchObject({
      code: 'SFTP_HOST_KEY',
      message: expect.stringContaining(server.fingerprint),
    });
    await expect(run({ operation: 'get', path: join(folder, 'none') })).rejects.toMatchObject({
      code: 'SFTP_NOT_FOUND',
    });
  });
});

// s3rver does not calculate signatures of version 4: the examples of Amazon's documentation test these. It encrypts
// continuation tokens with a cipher that OpenSSL 3 lacks, and decodes only some characters of the source of a copy.
describe('an S3 server of others', () => {
  let endpoint: string;
  const http = createHttpClient({ allowPrivate: true });

  beforeAll(async () => {
    const S3Server: unknown = createRequire(join(required('S3_SERVER'), 'package.json'))('s3rver');
    const directory = await mkdtemp(join(tmpdir(), 'deckhand-s3-'));
    if (typeof S3Server !== 'function') throw new Error('s3rver exports a class');
    const server: unknown = Reflect.construct(S3Server, [
      { port: 0, address: '127.0.0.1', silent: true, directory, configureBuckets: [{ name: 'outputs', configs: [] }] },
    ]);
    const { port } = await Object(server).run();
    stopLater({
      async stop() {
        await http.close();
        await Object(server).close();
        await rm(directory, { recursive: true, force: true });
      },
    });
    endpoint = `http://127.0.0.1:${port}`;
    process.env.AWS_ACCESS_KEY_ID = 'S3RVER';
    process.env.AWS_SECRET_ACCESS_KEY = 'S3RVER';
  });

  const run = (parameters: JsonObject, keys: object = {}) => {
    const known = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER', endpoint, bucket: 'outputs' };
    const credential = () => Promise.resolve({ type: 's3' as const, secret: { ...known, ...keys } });
    // Its signatures have the time of the machine.
    return runNode('s3', parameters, { services: { ...NO_SERVICES, http }, credential, now: () => Date.now() });
  };

  it('takes what a node puts, gets, lists, copies, moves and deletes', async () => {
    const key = "a/it's (ü) +50% & more.txt";
    await run({ operation: 'put', key, text: 'text', contentType: 'text/plain' });
    expect(await run({ operation: 'get', key })).toMatchObject({ file: { bytes: 4, contentType: 'text/plain' } });
    expect(await run({ operation: 'list' })).toMatchObject({ objects: [{ key, bytes: 4 }], next: null });
    expect(await run({ operation: 'list', folders: true })).toMatchObject({ objects: [], folders: ['a/'] });
    await run({ operation: 'put', key: 'plain name', text: 'plain' });
    await run({ operation: 'copy', key: 'plain name', targetKey: 'copy' });
    await run({ operation: 'move', key: 'plain name', targetKey: 'moved' });
    await run({ operation: 'delete', key });
    await run({ operation: 'delete', key: 'copy' });
    expect(await run({ operation: 'list' })).toMatchObject({ objects: [{ key: 'moved' }] });
    await expect(run({ operation: 'get', key })).rejects.toMatchObject({ code: 'S3_NOT_FOUND' });
    const unknown = run({ operation: 'list' }, { accessKeyId: 'other' });
    await expect(unknown).rejects.toMatchObject({ code: 'S3_FAILED', isRetryable: false });
  });

  it('takes a large file in parts', async () => {
    const { file } = await files.save([randomBytes(33 * MIB)], { name: 'large' });
    expect(await run({ operation: 'put', key: 'l/1', file: { file } })).toMatchObject({ bytes: 33 * MIB });
    expect(await run({ operation: 'get', key: 'l/1' })).toMatchObject({ file: { sha256: file.sha256 } });
  });

  it('gives an object to whoever has the link', async () => {
    await run({ operation: 'put', key: 'linked', text: 'linked' });
    const { url } = Object(await run({ operation: 'link', key: 'linked', expiresInSeconds: 60 }));
    expect(await (await fetch(url)).text()).toBe('linked');
  });

  it('keeps the files of a workspace, whole and in parts, until they are swept', async () => {
    const { url } = await createTestDatabase();
    const db = createDatabase({ url, poolSize: 2 });
    stopLater({ stop: () => db.$disconnect() });
    const { workspaceId } = await seedWorkflow(
      db,
      chain({ id: 'a', type: 'set', parameters: { fields: { ok: true } } }),
    );
    const location = {
      OUTPUT_STORE: 's3',
      S3_BUCKET: 'outputs',
      S3_ENDPOINT: endpoint,
      S3_REGION: 'us-east-1',
    } as const;
    const store = await openFileStore({ ...OUTPUTS_IN_POSTGRES, ...location, S3_PREFIX: 'deckhand/' }, db);
    for (const bytes of [randomBytes(1_000), randomBytes(17 * MIB)]) {
      const { file } = await store.save([bytes], { workspaceId, name: 'a', keptMinutes: 50 });
      const { content } = await store.open(workspaceId, file.id);
      const pieces: Uint8Array[] = [];
      for await (const piece of content) pieces.push(piece);
      expect(Buffer.concat(pieces).equals(bytes)).toBe(true);
    }
    await db.file.updateMany({ data: { expiresAt: new Date(0) } });
    await store.sweep(10);
    await db.unfinishedFile.updateMany({ data: { expiresAt: new Date(0) } });
    await store.sweep(10);
    expect(await run({ operation: 'list', prefix: 'deckhand/' })).toEqual({ objects: [], folders: [], next: null });
    store.close();
  });
});
