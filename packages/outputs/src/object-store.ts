import type { S3Client } from '@aws-sdk/client-s3';
import { StoreError, type StoreErrorKind } from '@deckhand/db';
import { types } from 'node:util';
import type { s3Location } from './settings.js';

/** Objects by key. Each member throws a StoreError when the store cannot be reached or refuses. */
export interface ObjectStore {
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** @returns undefined when the store says that there is no such object; no other refusal says so. */
  get(key: string): Promise<Uint8Array | undefined>;
  /** Deletes them all; those that are gone already are no fault. */
  delete(keys: readonly string[]): Promise<void>;
  close(): void;
}

/** The object store did not do what it was asked for. */
class ObjectStoreError extends StoreError {
  override readonly name = 'ObjectStoreError';
}

/** What names of S3's errors mean. Any other is decided by the status. */
const KIND_BY_NAME: ReadonlyMap<string, StoreErrorKind> = new Map([
  ['NoSuchBucket', 'deployment'],
  ['ExpiredToken', 'transient'],
  ['RequestTimeTooSkewed', 'transient'],
  ['EntityTooLarge', 'row'],
  ['AuthorizationHeaderMalformed', 'deployment'],
  ['InvalidBucketName', 'deployment'],
]);

/** What statuses of S3's errors mean: the settings or permissions are wrong. Any other may pass. */
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

/** Attempts of one request by the client itself: what goes on longer is the caller's to wait for. */
const ATTEMPTS = 2;
/** A store that takes longer than this for one request, all attempts together, counts as away, in ms. */
const PATIENCE_MS = 30_000;

/**
 * Opens a store that speaks S3. The client is loaded only here: it is large, and most do without.
 * @param patienceMs how long a request may take.
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
    // Checksums that stores other than Amazon's may not know.
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
          // By its code: a missing bucket, or a proxy on the way, answers 404 too.
          if (error instanceof s3.NoSuchKey) return undefined;
          throw error;
        });
        if (!found) return undefined;
        if (!found.Body) throw new Error('the response has no body');
        return found.Body.transformToByteArray();
      }),
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
