import {
  type Database,
  findDeletedOutputs,
  findLargeOutputs,
  forgetDeletedOutputs,
  keepLargeOutput,
  type LargeOutput,
  StoreError,
} from '@deckhand/db';
import { promisify } from 'node:util';
import { constants, gunzip, gzip } from 'node:zlib';
import { v7 as uuidv7 } from 'uuid';
import { type ObjectStore, openS3 } from './object-store.js';
import { OutputGoneError } from './output-gone.js';
import { type OutputSettings, s3Location } from './settings.js';

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** Where large outputs are. Every member throws what `classifyStoreError` knows. */
export interface OutputStore {
  /**
   * Keeps an output (serialised JSON) of a run: durable once it resolves.
   * @returns its ref.
   * @throws OutputGoneError when the run is gone.
   */
  put(executionId: string, output: string): Promise<string>;
  /** Reads outputs. @throws OutputGoneError for one that is no longer there. */
  get(refs: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /**
   * Deletes what runs that are gone left in the object store.
   * @returns how many; `limit` of them means there may be more.
   */
  sweep(limit: number): Promise<number>;
  close(): void;
}

/**
 * Opens the store that the settings name. What the other one holds can still be read: each output says where it is.
 * @throws SettingsError
 */
export async function openOutputStore(settings: OutputSettings, db: Database): Promise<OutputStore> {
  const objects = settings.OUTPUT_STORE === 's3' ? await openS3(s3Location(settings)) : undefined;
  return createOutputStore(db, objects);
}

function createOutputStore(db: Database, objects: ObjectStore | undefined): OutputStore {
  async function read(output: LargeOutput): Promise<string> {
    const bytes = output.data ?? (await requireObjects(objects).get(keyOf(output)));
    if (!bytes) throw new OutputGoneError(output.id);
    return (await decompress(bytes)).toString('utf8');
  }

  return {
    async put(executionId, output) {
      // Quick before small: a worker does this between two nodes of a run.
      const bytes = await compress(output, { level: constants.Z_BEST_SPEED });
      const id = uuidv7();
      // Written down first, so that no object is ever forgotten.
      const isKept = await keepLargeOutput(db, { id, executionId, data: objects ? null : bytes, text: output });
      if (!isKept) throw new OutputGoneError(id);
      await objects?.put(keyOf({ id, executionId }), bytes);
      return id;
    },
    async get(refs) {
      const found = await findLargeOutputs(db, refs);
      const outputs = new Map<string, string>();
      for (const output of found) outputs.set(output.id, await read(output));
      const missing = refs.find((ref) => !outputs.has(ref));
      if (missing !== undefined) throw new OutputGoneError(missing);
      return outputs;
    },
    async sweep(limit) {
      if (!objects) return 0;
      const deleted = await findDeletedOutputs(db, limit);
      if (deleted.length === 0) return 0;
      await objects.delete(deleted.map(keyOf));
      await forgetDeletedOutputs(
        db,
        deleted.map(({ id }) => id),
      );
      return deleted.length;
    },
    close() {
      objects?.close();
    },
  };
}

function requireObjects(objects: ObjectStore | undefined): ObjectStore {
  if (!objects) {
    throw new StoreError('the output is in an object store: OUTPUT_STORE and S3_BUCKET have to name it', 'deployment');
  }
  return objects;
}

function keyOf({ id, executionId }: Omit<LargeOutput, 'data'>): string {
  return `${executionId}/${id}.json.gz`;
}
