import type { JsonObject, JsonValue } from '@deckhand/contracts';
import { type NodeContext, NodeError } from '@deckhand/engine';
import type { FileSource } from '../files/file-source.ts';
import { membersOf, type S3Connection, textOf } from './connection.ts';
import { encode, sha256 } from './sign.ts';

/** Largest number of keys in one response of S3. */
const PAGE_KEYS = 1_000;
/** Maximum number of responses that one list reads: some may have no keys. */
const MAX_PAGES = 100;
/** Length of the parts of larger objects, in bytes: at least 5 MiB, and 10,000 of them have 156 GiB. */
const PART_BYTES = 16_777_216;
/** Time limit for ending an upload that failed, in ms. */
const ABORT_LIMIT_MS = 10_000;
/** Names the attempt that wrote an object, so that its repetition finds its own work. */
const OWN_MARK = 'x-amz-meta-deckhand-key';

/** An object of a bucket. */
export interface ObjectName {
  readonly bucket: string;
  readonly key: string;
}

/** Which keys to list. */
export interface ListRequest {
  readonly bucket: string;
  readonly prefix: string;
  /** Whether keys with a further slash are only counted as folders. */
  readonly hasFolders: boolean;
  readonly limit: number;
  /** `next` of an earlier list. */
  readonly continueFrom: string | undefined;
}

/** Lists keys in their order. `next` continues the list; null at its end. */
export async function listObjects(
  { send }: S3Connection,
  { bucket, prefix, hasFolders, limit, continueFrom }: ListRequest,
  { retryPart }: Pick<NodeContext, 'retryPart'>,
): Promise<JsonObject> {
  const objects: JsonObject[] = [];
  const folders: string[] = [];
  let next = continueFrom;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const left = limit - objects.length - folders.length;
    if (left <= 0) break;
    const query = {
      'encoding-type': 'url',
      'list-type': '2',
      'max-keys': String(Math.min(left, PAGE_KEYS)),
      ...(prefix !== '' && { prefix }),
      ...(hasFolders && { delimiter: '/' }),
      ...(next !== undefined && { 'continuation-token': next }),
    };
    const read = () => send({ method: 'GET', bucket, query });
    const members = membersOf(await (page === 0 ? read() : retryPart(read)), 'ListBucketResult');
    const decode = textOf(members, 'EncodingType') === 'url' ? decoded : (text: string): string => text;
    for (const one of elementsOf(members.Contents)) objects.push(objectOf(one, decode));
    for (const one of elementsOf(members.CommonPrefixes)) folders.push(decode(textOf(one, 'Prefix') ?? ''));
    next = textOf(members, 'NextContinuationToken');
    if (next === undefined || textOf(members, 'IsTruncated') === 'false') return { objects, folders, next: null };
  }
  return { objects, folders, next: next ?? null };
}

function objectOf(members: JsonObject, decode: (text: string) => string): JsonObject {
  return {
    key: decode(textOf(members, 'Key') ?? ''),
    bytes: Number(textOf(members, 'Size') ?? 0),
    modifiedAt: textOf(members, 'LastModified') ?? null,
    etag: unquoted(textOf(members, 'ETag') ?? ''),
  };
}

/** An element that occurs once is not a list. */
function elementsOf(value: JsonValue | undefined): readonly JsonObject[] {
  const list = value === undefined ? [] : [value].flat();
  return list.filter((one): one is JsonObject => typeof one === 'object' && one !== null && !Array.isArray(one));
}

/** Servers encode keys as the queries of forms are. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

function unquoted(etag: string): string {
  return etag.replace(/^"(.*)"$/, '$1');
}

/** What an object is made of. */
type ObjectContent = Pick<FileSource, 'contentType' | 'open'>;

/**
 * Writes an object, in parts if it is large: it shows once it is complete. A failed upload in parts is ended, which
 * deletes its parts.
 * @param mayReplace whether an object with the key is replaced. Otherwise, one that an earlier attempt of the node has
 * written counts as written.
 * @throws NodeError S3_EXISTS.
 */
export async function putObject(
  connection: S3Connection,
  name: ObjectName,
  content: ObjectContent,
  context: Pick<NodeContext, 'retryPart' | 'idempotencyKey'> & { readonly mayReplace: boolean },
): Promise<JsonObject> {
  const { bytes } = await content.open();
  const mark = sha256(context.idempotencyKey).slice(0, 32);
  const about = { 'content-type': content.contentType, [OWN_MARK]: mark };
  const condition: Record<string, string> = context.mayReplace ? {} : { 'if-none-match': '*' };
  try {
    const etag =
      bytes <= PART_BYTES
        ? await putAtOnce(connection, name, { content, bytes, headers: { ...about, ...condition } })
        : await putInParts(connection, name, { content, bytes, about, condition, retryPart: context.retryPart });
    return { ...name, bytes, etag };
  } catch (error) {
    if (!(error instanceof NodeError) || error.code !== 'S3_EXISTS') throw error;
    const { headers } = await connection.send({ method: 'HEAD', ...name });
    if (headers[OWN_MARK] !== mark) throw error;
    return { ...name, bytes, etag: unquoted(headers.etag ?? '') };
  }
}

async function putAtOnce(
  { send }: S3Connection,
  name: ObjectName,
  { content, bytes, headers }: { content: ObjectContent; bytes: number; headers: Readonly<Record<string, string>> },
): Promise<string> {
  const written = await send({ method: 'PUT', ...name, headers, body: rangeOf(content, { from: 0, until: bytes }) });
  return unquoted(written.headers.etag ?? '');
}

/** A range of a content as the body of a request. */
function rangeOf(content: ObjectContent, range: { readonly from: number; readonly until: number }) {
  return {
    bytes: range.until - range.from,
    async *open() {
      yield* (await content.open(range)).content;
    },
  };
}

/** What an upload in parts needs. */
interface Upload {
  readonly content: ObjectContent;
  readonly bytes: number;
  readonly about: Readonly<Record<string, string>>;
  readonly condition: Readonly<Record<string, string>>;
  readonly retryPart: NodeContext['retryPart'];
}

async function putInParts(connection: S3Connection, name: ObjectName, upload: Upload): Promise<string> {
  const { send } = connection;
  const { content, bytes, about, retryPart } = upload;
  const begun = await send({ method: 'POST', ...name, query: { uploads: '' }, headers: about });
  const uploadId = textOf(membersOf(begun, 'InitiateMultipartUploadResult'), 'UploadId');
  if (uploadId === undefined) throw new NodeError('S3_FAILED', 'the upload has no id');
  try {
    const tags: string[] = [];
    for (let from = 0; from < bytes; from += PART_BYTES) {
      const query = { partNumber: String(tags.length + 1), uploadId };
      const body = rangeOf(content, { from, until: Math.min(from + PART_BYTES, bytes) });
      const written = await retryPart(() => send({ method: 'PUT', ...name, query, body }));
      tags.push(written.headers.etag ?? '');
    }
    return await retryPart(() => completeUpload(connection, name, { upload, uploadId, tags }));
  } catch (error) {
    const limit = AbortSignal.timeout(ABORT_LIMIT_MS);
    // An upload that cannot be ended now is left to a lifecycle rule of the bucket.
    await send({ method: 'DELETE', ...name, query: { uploadId } }, limit).catch(() => undefined);
    throw error;
  }
}

async function completeUpload(
  { send }: S3Connection,
  name: ObjectName,
  { upload, uploadId, tags }: { upload: Upload; uploadId: string; tags: readonly string[] },
): Promise<string> {
  const parts = tags.map((tag, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>${escaped(tag)}</ETag></Part>`);
  const body = `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`;
  try {
    const done = await send({ method: 'POST', ...name, query: { uploadId }, headers: upload.condition, body });
    return unquoted(textOf(membersOf(done, 'CompleteMultipartUploadResult'), 'ETag') ?? '');
  } catch (error) {
    if (!(error instanceof NodeError) || error.code !== 'S3_NOT_FOUND') throw error;
    // An earlier request may have completed it before its response was lost.
    const { headers } = await send({ method: 'HEAD', ...name });
    const isOwn = headers[OWN_MARK] === upload.about[OWN_MARK];
    if (!isOwn || headers['content-length'] !== String(upload.bytes)) throw error;
    return unquoted(headers.etag ?? '');
  }
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

/** Copies an object of up to 5 GiB within the store. */
export async function copyObject({ send }: S3Connection, from: ObjectName, to: ObjectName): Promise<JsonObject> {
  const source = `/${encode(from.bucket)}/${from.key.split('/').map(encode).join('/')}`;
  const copied = await send({ method: 'PUT', ...to, headers: { 'x-amz-copy-source': source } });
  return { ...to, etag: unquoted(textOf(membersOf(copied, 'CopyObjectResult'), 'ETag') ?? '') };
}
