import type { S3Client } from '@aws-sdk/client-s3';
import { StoreError, type StoreErrorKind } from '@deckhand/db';
import { types } from 'node:util';
import type { s3Location } from './settings.ts';

/** A store of objects by key. Every method throws a StoreError if the store is unavailable or refuses. */
export interface ObjectStore {
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** Reads an object. @returns undefined if the store reports that it does not exist. */
  get(key: string): Promise<Uint8Array | undefined>;
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
  ['ExpiredToken', 'transient'],
  ['RequestTimeTooSkewed', 'transient'],
  ['EntityTooLarge', 'row'],
  ['AuthorizationHeaderMalformed', 'deployment'],
  ['InvalidBucketName', 'deployment'],
]);

/** Statuses of S3 errors that mean wrong settings or permissions. All others may be temporary. */
const KIND_BY_STATUS: ReadonlyMap<unknown, StoreErrorKind> = new Map([
  [404, 'deployment'],
  [301, 'deployment'],
  [401, 'deployment'],
  [403, 'deployment'],
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

/** Number of attempts by the client itself. Further retries are up to the caller. */
const ATTEMPTS = 2;
/** Timeout of one request with all its attempts, in ms. After it, the store counts as unavailable. */
const PATIENCE_MS = 30_000;

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
    get: (key) =>
      asked(`GET ${key}`, async (abortSignal) => {
        const command = new s3.GetObjectCommand({ Bucket, Key: prefix + key });
        const found = await client.send(command, { abortSignal }).catch((error: unknown) => {
          // Checks the code, because a missing bucket or a proxy also responds with 404.
          if (error instanceof s3.NoSuchKey) return undefined;
          throw error;
        });
        if (!found) return undefined;
        if (!found.Body) throw new Error('the response has no body');
        return found.Body.transformToByteArray();
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
