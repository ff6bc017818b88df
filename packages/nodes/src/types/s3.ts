import { type JsonObject, type JsonValue, mediaTypeFor, type ValidationIssue } from '@deckhand/contracts';
import { defineNodeType, NodeError, type NodeFiles, output } from '@deckhand/engine';
import Type, { type Static } from 'typebox';
import { bytesSource, FileParameter, fileSource, sampleFile } from '../files/file-source.ts';
import { saveResponse } from '../http/response-file.ts';
import { connectS3 } from '../s3/connection.ts';
import { copyObject, listObjects, putObject } from '../s3/objects.ts';

const MAX_LISTED = 1_000;
const LINK_SECONDS = 3_600;

const Key = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 1_024, description }));
const Bucket = (description: string) =>
  Type.Optional(Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{1,254}$', description }));

const Parameters = Type.Object(
  {
    operation: Type.Enum(['list', 'get', 'put', 'copy', 'move', 'delete', 'link'], { description: 'What to do' }),
    bucket: Bucket('The bucket, if not that of the credential'),
    key: Key('The name of the object, such as `invoices/2026/17.pdf`'),
    prefix: Type.Optional(
      Type.String({ maxLength: 1_024, default: '', description: 'For `list`: how the names begin' }),
    ),
    folders: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'For `list`: whether names with a further `/` are left out, and their beginnings returned as `folders`',
      }),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 10_000,
        default: MAX_LISTED,
        description: 'For `list`: the maximum number of objects and folders',
      }),
    ),
    continueFrom: Type.Optional(
      Type.Unsafe<string | null>({
        type: ['string', 'null'],
        maxLength: 4_096,
        description: 'For `list`: `next` of the list before; null begins',
      }),
    ),
    file: Type.Optional(FileParameter('For `put`: the file')),
    text: Type.Optional(Type.String({ description: 'For `put`: a text, in UTF-8, instead of `file`' })),
    contentType: Type.Optional(
      Type.String({
        pattern: '^[\\w.+-]+/[\\w.+-]+(;[ -~]*)?$',
        maxLength: 255,
        description: 'For `put`: the media type, by default that of the file or of the end of the key',
      }),
    ),
    overwrite: Type.Optional(
      Type.Boolean({
        default: true,
        description: 'For `put`: if false, the node fails with `S3_EXISTS` where there is an object with the key',
      }),
    ),
    targetKey: Key('For `copy` and `move`: the new name'),
    targetBucket: Bucket('For `copy` and `move`: the bucket of the new object, if it is another one'),
    expiresInSeconds: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 604_800,
        default: LINK_SECONDS,
        description: 'For `link`: how long it works, at most a week',
      }),
    ),
  },
  { additionalProperties: false },
);

export default defineNodeType({
  type: 's3',
  title: 'S3 bucket',
  description:
    'Works on the objects of a bucket of Amazon S3 or a compatible store (MinIO, Cloudflare R2, Google Cloud Storage and others, by the `endpoint` of the credential). `list` returns `{ objects, folders, next }`, `get` a file, `put` `{ bucket, key, bytes, etag }`, `copy` and `move` `{ bucket, key, etag }` of the new object, `delete` `{ bucket, key }`, and `link` `{ url, expiresAt }`: a URL with which anybody can get the object for a while. Files are streamed; those above 16 MiB are sent in parts, each of which is tried again by itself as `retry` says, and show once they are complete. Deleting an object that does not exist succeeds. `copy` and `move` take objects of up to 5 GiB; a `move` copies and then deletes, so an attempt that follows one whose worker died in between may fail with `S3_NOT_FOUND`.',
  keywords: ['aws', 'amazon', 'object storage', 'minio', 'r2', 'upload', 'download', 'file', 'presigned'],
  category: 'action',
  icon: 'cloud',
  summary: '{operation} {key}',
  hasEffects: true,
  credential: { types: ['s3'], needed: () => ['s3'] },
  parameters: Parameters,
  form: {
    inputs: { file: 'expression' },
    shownFor: {
      key: { operation: ['get', 'put', 'copy', 'move', 'delete', 'link'] },
      prefix: { operation: ['list'] },
      folders: { operation: ['list'] },
      limit: { operation: ['list'] },
      continueFrom: { operation: ['list'] },
      file: { operation: ['put'] },
      text: { operation: ['put'] },
      contentType: { operation: ['put'] },
      overwrite: { operation: ['put'] },
      targetKey: { operation: ['copy', 'move'] },
      targetBucket: { operation: ['copy', 'move'] },
      expiresInSeconds: { operation: ['link'] },
    },
  },
  check({ operation, key, file, text, targetKey }): ValidationIssue[] {
    const issues: ValidationIssue[] = [];
    if (key === undefined && operation !== 'list') issues.push({ path: 'key', message: 'is required' });
    if (operation === 'put' && (file === undefined) === (text === undefined))
      issues.push({ path: 'file', message: 'or text is required, and not both' });
    if (targetKey === undefined && (operation === 'copy' || operation === 'move'))
      issues.push({ path: 'targetKey', message: 'is required' });
    return issues;
  },
  sample: (parameters) => sampleOf(parameters),
  errors: [
    'ADDRESS_REFUSED',
    'CIRCUIT_OPEN',
    'FILE_NOT_FOUND',
    'FILE_TOO_LARGE',
    'HTTP_REQUEST_FAILED',
    'HTTP_RESPONSE_INVALID',
    'MEMORY_EXCEEDED',
    'RATE_LIMITED',
    'RESPONSE_TOO_LARGE',
    'S3_EXISTS',
    'S3_FAILED',
    'S3_NOT_FOUND',
    'STORAGE_FULL',
  ],
  async run(parameters, context) {
    const credential = await context.credential();
    if (credential?.type !== 's3') {
      throw new NodeError('CREDENTIAL_UNSUITABLE', 'the node needs a credential of type s3', { isRetryable: false });
    }
    const connection = connectS3(context, credential);
    const bucket = required(parameters.bucket ?? credential.secret.bucket, 'bucket');
    if (parameters.operation === 'list') {
      const { prefix = '', folders: hasFolders = false, limit = MAX_LISTED, continueFrom } = parameters;
      const request = { bucket, prefix, hasFolders, limit, continueFrom: continueFrom ?? undefined };
      return output(await listObjects(connection, request, context));
    }
    const name = { bucket, key: required(parameters.key, 'key') };
    switch (parameters.operation) {
      case 'get': {
        const { file } = await connection.send({
          method: 'GET',
          ...name,
          saveBody: saveResponse(context.files, undefined),
        });
        return output(file ?? null);
      }
      case 'put': {
        const { overwrite: mayReplace = true } = parameters;
        return output(
          await putObject(connection, name, contentOf(parameters, name.key, context.files), { ...context, mayReplace }),
        );
      }
      case 'copy':
      case 'move': {
        const target = { bucket: parameters.targetBucket ?? bucket, key: required(parameters.targetKey, 'targetKey') };
        if (target.bucket === name.bucket && target.key === name.key)
          throw invalid('targetKey', 'is that of the object');
        const copied = await copyObject(connection, name, target);
        if (parameters.operation === 'move')
          await context.retryPart(() => connection.send({ method: 'DELETE', ...name }));
        return output(copied);
      }
      case 'delete':
        await connection.send({ method: 'DELETE', ...name });
        return output({ ...name });
      case 'link': {
        const { expiresInSeconds = LINK_SECONDS } = parameters;
        const expiresAt = new Date(context.now() + expiresInSeconds * 1_000).toISOString();
        return output({ url: connection.link(bucket, name.key, expiresInSeconds), expiresAt });
      }
    }
  },
  example: {
    trigger: { order: 17, total: 99.5 },
    credential: {
      type: 's3',
      secret: { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'secret-access-key', bucket: 'orders' },
    },
    definition: {
      nodes: [
        { id: 'start', type: 'trigger.manual' },
        {
          id: 'keep',
          type: 's3',
          credentialId: '01890a5d-ac96-774b-bcce-b302099a8057',
          parameters: {
            operation: 'put',
            key: 'orders/{{ $trigger.order }}.json',
            text: '{{ JSON.stringify($trigger) }}',
          },
          retry: { maxAttempts: 3 },
        },
      ],
      edges: [{ source: 'start', target: 'keep' }],
    },
    request: { method: 'PUT', url: 'https://orders.s3.us-east-1.amazonaws.com/orders/17.json' },
    response: { status: 200, headers: { etag: '"9b2cf535f27731c974343645a3985328"' }, body: '' },
    outputs: {
      keep: { bucket: 'orders', key: 'orders/17.json', bytes: 25, etag: '9b2cf535f27731c974343645a3985328' },
    },
  },
});

/** @throws NodeError PARAMETERS_INVALID if there is neither a file nor a text. */
function contentOf({ file, text, contentType }: Static<typeof Parameters>, key: string, files: NodeFiles) {
  const about = { name: key, contentType: mediaTypeFor(key) };
  const source = text === undefined ? fileSource(file, files) : bytesSource(Buffer.from(text), about);
  return { contentType: contentType ?? source.contentType, open: source.open };
}

function sampleOf({ operation, bucket = 'bucket', key = 'key', ...others }: Static<typeof Parameters>): JsonValue {
  const target: JsonObject = { bucket: others.targetBucket ?? bucket, key: others.targetKey ?? key, etag: '' };
  switch (operation) {
    case 'list':
      return { objects: [], folders: [], next: null };
    case 'get':
      return sampleFile(key);
    case 'put':
      return { bucket, key, bytes: 0, etag: '' };
    case 'copy':
    case 'move':
      return target;
    case 'delete':
      return { bucket, key };
    case 'link':
      return { url: 'https://example.com/', expiresAt: '2026-01-01T00:00:00.000Z' };
  }
}

function required(value: string | undefined, parameter: string): string {
  if (value === undefined) throw invalid(parameter, 'is required');
  return value;
}

function invalid(parameter: string, message: string): NodeError {
  return new NodeError('PARAMETERS_INVALID', `parameters.${parameter} ${message}`, { isRetryable: false });
}
