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
import { type ObjectStore, openObjects } from './object-store.ts';
import { OutputGoneError } from './output-gone.ts';
import type { OutputSettings } from './settings.ts';

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** Store of large outputs. Every method throws errors that `classifyStoreError` knows. */
export interface OutputStore {
  /**
   * Stores an output (serialized JSON) of a run. It is durable once the promise resolves.
   * @returns its reference.
   * @throws OutputGoneError if the run is gone.
   */
  put(executionId: string, output: string): Promise<string>;
  /** Reads outputs. @throws OutputGoneError if one was deleted. */
  get(refs: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /**
   * Deletes objects of runs that are gone.
   * @returns how many. If it is `limit`, there may be more.
   */
  sweep(limit: number): Promise<number>;
  close(): void;
}

/**
 * Opens the store that the settings name. Outputs in the other store can still be read, because each output records
 * where it is.
 * @throws SettingsError
 */
export async function openOutputStore(settings: OutputSettings, db: Database): Promise<OutputStore> {
  return createOutputStore(db, await openObjects(settings), settings.OUTPUT_STORE === 's3');
}

/** @param isApart whether new outputs go to the object store. */
function createOutputStore(db: Database, objects: ObjectStore | undefined, isApart: boolean): OutputStore {
  async function read(output: LargeOutput): Promise<string> {
    const bytes = output.data ?? (await requireObjects(objects).get(keyOf(output)));
    if (!bytes) throw new OutputGoneError(output.id);
    return (await decompress(bytes)).toString('utf8');
  }

  return {
    async put(executionId, output) {
      // Fast rather than small, because a worker compresses between two nodes of a run.
      const bytes = await compress(output, { level: constants.Z_BEST_SPEED });
      const id = uuidv7();
      // Recorded before the object is written, so that no object is ever forgotten.
      const isKept = await keepLargeOutput(db, { id, executionId, data: isApart ? null : bytes, text: output });
      if (!isKept) throw new OutputGoneError(id);
      if (isApart) await requireObjects(objects).put(keyOf({ id, executionId }), bytes);
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
    throw new StoreError('the output is in an object store: set S3_BUCKET to it', 'deployment');
  }
  return objects;
}

function keyOf({ id, executionId }: Omit<LargeOutput, 'data'>): string {
  return `${executionId}/${id}.json.gz`;
}
