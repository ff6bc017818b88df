import { type JsonValue, mediaTypeFor, type ValidationIssue } from '@deckhand/contracts';
import {
  defineNodeType,
  type NodeContext,
  NodeError,
  output,
  type Replacing,
  type SftpSession,
} from '@deckhand/engine';
import { createHash, randomBytes } from 'node:crypto';
import { posix } from 'node:path';
import Type, { type Static } from 'typebox';
import { bytesSource, FileParameter, fileSource, sampleFile } from '../files/file-source.ts';

const MAX_LISTED = 1_000;

const Path = (description: string) =>
  Type.String({ minLength: 1, maxLength: 4_096, pattern: '^[^\\0]+$', description });

const Parameters = Type.Object(
  {
    operation: Type.Enum(['list', 'get', 'put', 'move', 'delete', 'mkdir'], { description: 'What to do' }),
    path: Path('The file or folder: absolute, or relative to the folder of the login'),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 10_000,
        default: MAX_LISTED,
        description: 'For `list`: the maximum number of entries; no more are read',
      }),
    ),
    file: Type.Optional(FileParameter('For `put`: the file')),
    text: Type.Optional(Type.String({ description: 'For `put`: a text, in UTF-8, instead of `file`' })),
    target: Type.Optional(Path('For `move`: the new path')),
    overwrite: Type.Optional(
      Type.Boolean({
        default: true,
        description:
          'For `put` and `move`: if false, the node fails with `SFTP_EXISTS` where there is something already',
      }),
    ),
  },
  { additionalProperties: false },
);

export default defineNodeType({
  type: 'sftp',
  title: 'SFTP server',
  description:
    'Works on the files of an SFTP server. `list` returns `{ entries, isComplete }`: of each entry its `name`, `path`, `type` (`file`, `folder`, `link` or `other`), `bytes` and `modifiedAt`, sorted by name. `get` returns a file, `put` `{ path, bytes }`, `move` and `mkdir` `{ path }`, and `delete` `{ path, existed }`. Files are streamed. `put` writes to a name of its own in the same folder, `.deckhand-….part`, and then renames, so nobody reads half a file; another attempt deletes what earlier ones left (among the first 1,000 entries of the folder) and begins anew. At servers without `posix-rename`, what is replaced has the name `.deckhand-….old` meanwhile, and is put back if the rename fails. If the connection breaks before the response, another attempt of a `move` can fail with `SFTP_NOT_FOUND`, and one without `overwrite` with `SFTP_EXISTS`, although the first succeeded. `mkdir` also makes the folders above, and `delete` takes files and empty folders. The server is known by the fingerprint in the credential, and otherwise refused before the login.',
  keywords: ['ssh', 'ftp', 'upload', 'download', 'file', 'folder', 'directory', 'scp'],
  category: 'action',
  icon: 'folder',
  summary: '{operation} {path}',
  hasEffects: true,
  credential: { types: ['sftp'], needed: () => ['sftp'] },
  parameters: Parameters,
  form: {
    inputs: { file: 'expression' },
    shownFor: {
      limit: { operation: ['list'] },
      file: { operation: ['put'] },
      text: { operation: ['put'] },
      target: { operation: ['move'] },
      overwrite: { operation: ['put', 'move'] },
    },
  },
  check({ operation, file, text, target }): ValidationIssue[] {
    const issues: ValidationIssue[] = [];
    if (operation === 'put' && (file === undefined) === (text === undefined))
      issues.push({ path: 'file', message: 'or text is required, and not both' });
    if (operation === 'move' && target === undefined) issues.push({ path: 'target', message: 'is required' });
    return issues;
  },
  sample: (parameters) => sampleOf(parameters),
  errors: [
    'ADDRESS_REFUSED',
    'FILE_NOT_FOUND',
    'FILE_TOO_LARGE',
    'MEMORY_EXCEEDED',
    'SFTP_EXISTS',
    'SFTP_FAILED',
    'SFTP_HOST_KEY',
    'SFTP_LOGIN_FAILED',
    'SFTP_NOT_FOUND',
    'SFTP_UNREACHABLE',
    'STORAGE_FULL',
  ],
  async run(parameters, context) {
    const { services, signal, workspaceId, credentialId = '' } = context;
    const found = await context.credential();
    if (found?.type !== 'sftp') {
      throw new NodeError('CREDENTIAL_UNSUITABLE', 'the node needs a credential of type sftp', { isRetryable: false });
    }
    const target = { server: found.secret, workspaceId, credentialId, signal: signal() };
    return output(await services.sftp.use(target, (session) => operate(session, parameters, context)));
  },
  example: {
    trigger: { order: 17, total: 99.5 },
    credential: {
      type: 'sftp',
      secret: {
        host: 'files.example.com',
        username: 'shop',
        password: 'password',
        fingerprint: 'SHA256:uNiVztksCsDhcc0u9e8BrrnqHlsQJqzEBTzNxMcDF3Q',
      },
    },
    definition: {
      nodes: [
        { id: 'start', type: 'trigger.manual' },
        {
          id: 'send',
          type: 'sftp',
          credentialId: '01890a5d-ac96-774b-bcce-b302099a8057',
          parameters: {
            operation: 'put',
            path: 'in/{{ $trigger.order }}.json',
            text: '{{ JSON.stringify($trigger) }}',
          },
          retry: { maxAttempts: 3 },
        },
      ],
      edges: [{ source: 'start', target: 'send' }],
    },
    outputs: { send: { path: 'in/17.json', bytes: 25 } },
  },
});

async function operate(
  session: SftpSession,
  parameters: Static<typeof Parameters>,
  context: Pick<NodeContext, 'files' | 'idempotencyKey'>,
): Promise<JsonValue> {
  const { operation, path, limit = MAX_LISTED, target, overwrite = true } = parameters;
  switch (operation) {
    case 'list': {
      const { entries, isComplete } = await session.list(path, limit);
      return { entries: entries.map((entry) => ({ ...entry, path: posix.join(path, entry.name) })), isComplete };
    }
    case 'get':
      return context.files.save(session.read(path), { name: posix.basename(path), contentType: mediaTypeFor(path) });
    case 'put': {
      const bytes = await put(session, parameters, context);
      return { path, bytes };
    }
    case 'move':
      if (target === undefined) throw invalid('target', 'is required');
      await session.rename(path, target, replacing(target, overwrite, context));
      return { path: target };
    case 'delete':
      return { path, existed: await session.remove(path) };
    case 'mkdir':
      await session.makeFolder(path);
      return { path };
  }
}

/** Writes a file under a name of this attempt, and gives it its own once it is complete. */
async function put(
  session: SftpSession,
  { path, file, text, overwrite = true }: Static<typeof Parameters>,
  context: Pick<NodeContext, 'files' | 'idempotencyKey'>,
): Promise<number> {
  const about = { name: path, contentType: mediaTypeFor(path) };
  const source = text === undefined ? fileSource(file, context.files) : bytesSource(Buffer.from(text), about);
  const { content } = await source.open();
  const folder = posix.dirname(path);
  const mark = markOf(context);
  await removeParts(session, folder, mark);
  // An earlier attempt, which its worker has not ended yet, must not write to the same one.
  const part = posix.join(folder, `${mark}-${randomBytes(8).toString('hex')}.part`);
  try {
    const bytes = await session.write(part, content);
    const stored = await session.sizeOf(part);
    if (stored !== bytes) throw new NodeError('SFTP_FAILED', `${path}: the server stored ${stored} of ${bytes} bytes`);
    await session.rename(part, path, replacing(path, overwrite, context));
    return bytes;
  } catch (error) {
    // While the path has neither the older file nor this one, this one is kept.
    const isTargetGone = error instanceof NodeError && error.details?.aside !== undefined;
    // What cannot be deleted now is deleted by the next attempt.
    if (!isTargetGone) await session.remove(part).catch(() => undefined);
    throw error;
  }
}

/** Deletes what earlier attempts left, as far as the folder may be listed. */
async function removeParts(session: SftpSession, folder: string, mark: string): Promise<void> {
  const { entries } = await session.list(folder, MAX_LISTED).catch(() => ({ entries: [] }));
  for (const { name } of entries) {
    if (name.startsWith(`${mark}-`) && name.endsWith('.part'))
      await session.remove(posix.join(folder, name)).catch(() => undefined);
  }
}

function replacing(
  path: string,
  overwrite: boolean,
  context: Pick<NodeContext, 'idempotencyKey'>,
): Replacing | undefined {
  return overwrite ? { aside: posix.join(posix.dirname(path), `${markOf(context)}.old`) } : undefined;
}

/** Returns how names of files begin that a node needs for a while: the same for each attempt. */
function markOf({ idempotencyKey }: Pick<NodeContext, 'idempotencyKey'>): string {
  return `.deckhand-${createHash('sha256').update(idempotencyKey).digest('hex').slice(0, 16)}`;
}

function sampleOf({ operation, path, target = path }: Static<typeof Parameters>): JsonValue {
  switch (operation) {
    case 'list':
      return { entries: [], isComplete: true };
    case 'get':
      return sampleFile(posix.basename(path));
    case 'put':
      return { path, bytes: 0 };
    case 'move':
      return { path: target };
    case 'delete':
      return { path, existed: true };
    case 'mkdir':
      return { path };
  }
}

function invalid(parameter: string, message: string): NodeError {
  return new NodeError('PARAMETERS_INVALID', `parameters.${parameter} ${message}`, { isRetryable: false });
}
