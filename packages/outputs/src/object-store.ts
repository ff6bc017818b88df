import type { S3Client } from '@aws-sdk/client-s3';
import { StoreError, type StoreErrorKind } from '@deckhand/db';
import { types } from 'node:util';
import { type OutputSettings, s3Location } from './settings.ts';

/** Bytes of an object, both included. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/** An object that is being written in parts. */
export interface ObjectUpload {
  readonly key: string;
  readonly id: string;
}

/** A store of objects by key. Every method throws a StoreError if the store is unavailable or refuses. */
export interface ObjectStore {
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** Reads an object. @returns undefined if the store reports that it does not exist, or ends before the range. */
  get(key: string, range?: ByteRange): Promise<Uint8Array | undefined>;
  /** Returns the length of an object in bytes; undefined if the store reports that it does not exist. */
  size(key: string): Promise<number | undefined>;
  /** Begins to write an object in parts, none of which shows before it is complete. @returns its id. */
  beginUpload(key: string): Promise<string>;
  /** Writes a part, of at least 5 MiB unless it is the last. Parts count from 1. @returns its tag. */
  uploadPart(upload: ObjectUpload, part: number, bytes: Uint8Array): Promise<string>;
  /** Makes the object of its parts, whose tags are in their order. */
  completeUpload(upload: ObjectUpload, tags: readonly string[]): Promise<void>;
  /** Ends all unfinished uploads of an object, and deletes what they have written. */
  abortUploads(key: string): Promise<void>;
  /** Returns the names of the folders in a folder, both ending with a slash. */
  listFolders(folder: string): Promise<string[]>;
  /** Deletes objects. Objects that do not exist are ignored. */
  delete(keys: readonly string[]): Promise<void>;
  close(): void;
}

/** The object store refused a request. */
class ObjectStoreError extends StoreError {
  override readonly name = 'ObjectStoreError';
}

/** Kinds of S3 errors by name. For other names the status decides. */
const KIND_BY_NAME: ReadonlyMap<string, StoreErrorKind> = new Map([
  ['NoSuchBucket', 'deployment'],
  // The sweep has ended it: trying again would never succeed.
  ['NoSuchUpload', 'row'],
  ['ExpiredToken', 'transient'],
  ['RequestTimeTooSkewed', 'transient'],
  ['EntityTooLarge', 'row'],
  ['AuthorizationHeaderMalformed', 'deployment'],
  ['InvalidBucketName', 'deployment'],
]);

/** Statuses of S3 errors that mean wrong settings, permissions or another store. All others may be temporary. */
const KIND_BY_STATUS: ReadonlyMap<unknown, StoreErrorKind> = new Map([
  [404, 'deployment'],
  [301, 'deployment'],
  [401, 'deployment'],
  [403, 'deployment'],
  // What the store does not implement, such as lists of uploads.
  [501, 'deployment'],
]);

function kindOf(error: unknown): StoreErrorKind {
  if (!types.isNativeError(error)) return 'transient';
  const metadata: unknown = '$metadata' in error ? error.$metadata : undefined;
  const status: unknown =
    typeof metadata === 'object' && metadata !== null && 'httpStatusCode' in metadata
      ? metadata.httpStatusCode
      : undefined;
  return KIND_BY_NAME.get(error.name) ?? KIND_BY_STATUS.get(status) ?? 'transient';
}

/** Whether an object is shorter than where a range of it begins: trying again would never succeed. */
function isBeyondEnd(error: unknown): boolean {
  return types.isNativeError(error) && error.name === 'InvalidRange';
}

/** Number of attempts by the client itself. Further retries are up to the caller. */
const ATTEMPTS = 2;
/** Timeout of one request with all its attempts, in ms. After it, the store counts as unavailable. */
const PATIENCE_MS = 30_000;

/**
 * Opens the object store that the settings name, also when new content goes to PostgreSQL: older content is there.
 * @returns undefined without one.
 * @throws SettingsError
 */
export async function openObjects(settings: OutputSettings): Promise<ObjectStore | undefined> {
  if (settings.OUTPUT_STORE !== 's3' && settings.S3_BUCKET === undefined) return undefined;
  return openS3(s3Location(settings));
}

/**
 * Opens an S3-compatible store. The client is loaded only here, because it is large and most installations do not need
 * it.
 * @param patienceMs timeout of a request in ms.
 */
export async function openS3(
  location: ReturnType<typeof s3Location>,
  patienceMs: number = PATIENCE_MS,
): Promise<ObjectStore> {
  const { bucket: Bucket, endpoint, region, prefix } = location;
  const s3 = await import('@aws-sdk/client-s3');
  const client: S3Client = new s3.S3Client({
    region,
    maxAttempts: ATTEMPTS,
    // Stores other than Amazon's may not support checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
  });

  async function asked<T>(what: string, act: (abortSignal: AbortSignal) => Promise<T>): Promise<T> {
    try {
      return await act(AbortSignal.timeout(patienceMs));
    } catch (error) {
      const reason = types.isNativeError(error) ? `${error.name}: ${error.message}` : String(error);
      throw new ObjectStoreError(`the object store: ${what}: ${reason}`, kindOf(error), { cause: error });
    }
  }

  return {
    put: (key, bytes) =>
      asked(`PUT ${key}`, async (abortSignal) => {
        await client.send(new s3.PutObjectCommand({ Bucket, Key: prefix + key, Body: bytes }), { abortSignal });
      }),
    get: (key, range) =>
      asked(`GET ${key}`, async (abortSignal) => {
        const Range = range && `bytes=${range.first}-${range.last}`;
        const command = new s3.GetObjectCommand({ Bucket, Key: prefix + key, Range });
        const found = await client.send(command, { abortSignal }).catch((error: unknown) => {
          // Checks the code, because a missing bucket or a proxy also responds with 404.
          if (error instanceof s3.NoSuchKey || isBeyondEnd(error)) return undefined;
          throw error;
        });
        if (!found) return undefined;
        if (!found.Body) throw new Error('the response has no body');
        return found.Body.transformToByteArray();
      }),
    size: (key) =>
      asked(`HEAD ${key}`, async (abortSignal) => {
        const head = client.send(new s3.HeadObjectCommand({ Bucket, Key: prefix + key }), { abortSignal });
        const found = await head.catch((error: unknown) => {
          if (error instanceof s3.NotFound) return undefined;
          throw error;
        });
        return found ? (found.ContentLength ?? 0) : undefined;
      }),
    beginUpload: (key) =>
      asked(`upload of ${key}`, async (abortSignal) => {
        const begun = await client.send(new s3.CreateMultipartUploadCommand({ Bucket, Key: prefix + key }), {
          abortSignal,
        });
        if (begun.UploadId === undefined) throw new Error('the upload has no id');
        return begun.UploadId;
      }),
    uploadPart: ({ key, id }, PartNumber, Body) =>
      asked(`part ${PartNumber} of ${key}`, async (abortSignal) => {
        const command = new s3.UploadPartCommand({ Bucket, Key: prefix + key, UploadId: id, PartNumber, Body });
        const { ETag } = await client.send(command, { abortSignal });
        if (ETag === undefined) throw new Error('the part has no tag');
        return ETag;
      }),
    completeUpload: ({ key, id }, tags) =>
      asked(`completion of ${key}`, async (abortSignal) => {
        const Parts = tags.map((ETag, index) => ({ ETag, PartNumber: index + 1 }));
        const MultipartUpload = { Parts };
        const command = new s3.CompleteMultipartUploadCommand({
          Bucket,
          Key: prefix + key,
          UploadId: id,
          MultipartUpload,
        });
        await client.send(command, { abortSignal }).catch(async (error: unknown) => {
          // An earlier attempt may have completed it before its response was lost.
          if (!(error instanceof s3.NoSuchUpload)) throw error;
          const head = client.send(new s3.HeadObjectCommand({ Bucket, Key: prefix + key }), { abortSignal });
          await head.catch((missing: unknown) => {
            throw missing instanceof s3.NotFound ? error : missing;
          });
        });
      }),
    abortUploads: (key) =>
      asked(`uploads of ${key}`, async (abortSignal) => {
        const list = new s3.ListMultipartUploadsCommand({ Bucket, Prefix: prefix + key });
        const { Uploads = [] } = await client.send(list, { abortSignal });
        for (const { Key, UploadId } of Uploads)
          await client.send(new s3.AbortMultipartUploadCommand({ Bucket, Key, UploadId }), { abortSignal });
      }),
    async listFolders(folder) {
      const folders: string[] = [];
      let ContinuationToken: string | undefined;
      do {
        const page = await asked(`LIST ${folder}`, (abortSignal) => {
          const request = { Bucket, Prefix: prefix + folder, Delimiter: '/', ContinuationToken };
          return client.send(new s3.ListObjectsV2Command(request), { abortSignal });
        });
        for (const { Prefix = '' } of page.CommonPrefixes ?? []) folders.push(Prefix.slice(prefix.length));
        ContinuationToken = page.NextContinuationToken;
      } while (ContinuationToken !== undefined);
      return folders;
    },
    delete: (keys) =>
      asked(`DELETE of ${keys.length}`, async (abortSignal) => {
        const Objects = keys.map((key) => ({ Key: prefix + key }));
        const command = new s3.DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } });
        const { Errors } = await client.send(command, { abortSignal });
        const [first] = Errors ?? [];
        if (first) throw new Error(`${first.Key ?? ''}: ${first.Code ?? ''} ${first.Message ?? ''}`);
      }),
    close() {
      client.destroy();
    },
  };
}
