import type { Database } from '@deckhand/db';
import type { NodeServices, NodeTypes } from '@deckhand/engine';
import type { SchemaChecker } from '@deckhand/nodes';
import type { Archive, FileStore, OutputStore } from '@deckhand/outputs';
import type { Logger, MemoryBudget, SecretBox, Tracing } from '@deckhand/runtime';
import type { Registry } from 'prom-client';

/** What a worker needs. */
export interface WorkerOptions {
  readonly id: string;
  readonly version: string;
  readonly db: Database;
  readonly redisUrl: string;
  /** URLs of the Redis servers of the queue's shards; by default there is one shard, in `redisUrl`. */
  readonly shardUrls?: readonly string[] | undefined;
  /** The shard whose jobs this worker takes. */
  readonly shard?: number | undefined;
  /** URL of the database, for the watchdog's own connection. */
  readonly databaseUrl: string;
  /** How long a run may block the event loop before the watchdog ends the process, in ms. */
  readonly maxBlockedMs: number;
  readonly nodeTypes: NodeTypes;
  /** Services of nodes; the worker adds those that need its stores. */
  readonly services: Pick<NodeServices, 'code' | 'http' | 'mail' | 'postgres' | 'sftp' | 'fileProcesses'>;
  /** Checks inputs of runs that this worker starts, and results. */
  readonly schemas: SchemaChecker;
  /** The store of large outputs. */
  readonly outputs: OutputStore;
  /** The store of files. */
  readonly files: FileStore;
  /** The archive of dropped partitions; undefined without one. */
  readonly archive?: Archive | undefined;
  /** Opens the credentials of nodes. */
  readonly secretBox: SecretBox;
  /** PUBLIC_URL: where this instance is reached, without a slash at the end; undefined if it is not set. */
  readonly publicUrl?: string | undefined;
  /** The budget for data of runs. */
  readonly memory: MemoryBudget;
  /** Maximum number of runs that the worker holds at once. */
  readonly concurrency: number;
  /** How long nodes in flight may continue when the worker drains, in ms. */
  readonly graceMs: number;
  /** How long a run may be unclaimed before its job is looked up in the queue, in ms; two seconds by default. */
  readonly unclaimedAfterMs?: number | undefined;
  /** Called when no run is being claimed or held any more. */
  readonly onEmpty?: () => void;
  /** Called when an operator requests this worker to drain and exit. */
  readonly onDrainRequest?: () => void;
  readonly logger: Logger;
  /** The registry to which the worker adds its metrics. */
  readonly registry: Registry;
  /** Undefined if tracing is off. */
  readonly tracing?: Tracing | undefined;
}
