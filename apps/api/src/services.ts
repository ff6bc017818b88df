import { type Database, probeWrites, touchApiKeys, touchSessions } from '@deckhand/db';
import type { NodeTypes } from '@deckhand/engine';
import { loadNodeTypes } from '@deckhand/nodes';
import {
  connectRedis,
  createExecutionRate,
  createFleetView,
  createWindowRate,
  type FleetView,
  onChanges,
  openQueueShards,
  probeRedisWrites,
  type QueueShards,
  type Redis,
  type WindowRate,
} from '@deckhand/queue';
import { openOutputStore, type OutputStore } from '@deckhand/outputs';
import {
  type AnswerTokens,
  createAnswerTokens,
  type Logger,
  openSecretBox,
  type SecretBox,
  type Tracing,
} from '@deckhand/runtime';
import type { Registry } from 'prom-client';
import { type Authenticate, createAuthenticate } from './auth/authenticate.ts';
import { createPasswords, type Passwords } from './auth/passwords.ts';
import { createLoginThrottle, type LoginThrottle } from './auth/login-throttle.ts';
import { setupToken } from './auth/setup-token.ts';
import { createUsageLog } from './auth/usage-log.ts';
import { createFormChecker, type FormChecker } from './forms/form-checker.ts';
import { type AnswerOnce, createAnswerOnce } from './http/answer-once.ts';
import { readAllowedOrigins } from './http/cors.ts';
import { webhookHostOf } from './http/separate-hosts.ts';
import { readTrustedProxies } from './http/trusted-proxies.ts';
import { createLinkLimit, type LinkLimit } from './links/link-limit.ts';
import { type McpSettings, mcpSettings } from './mcp/settings.ts';
import { type ApiMetrics, createApiMetrics } from './metrics/metrics.ts';
import { type MetricsAccess, metricsAccess } from './metrics/access.ts';
import { createExecutionReader, type ExecutionReader } from './runs/execution-reader.ts';
import { createEventSender, type EventSender } from './runs/event-sender.ts';
import { createNoteStart, type NoteStart } from './runs/note-start.ts';
import { createPrepareCallbacks, type PrepareCallbacks } from './runs/prepare-callbacks.ts';
import { createRunFollower, type RunFollower } from './runs/follow-runs.ts';
import { createRunReads, type RunReads } from './runs/run-reads.ts';
import { notifyWorkers } from './runs/notify-workers.ts';
import { createRunStarter, type RunStarter } from './runs/run-starter.ts';
import { createWorkspaceShares, type WorkspaceShares } from './runs/workspace-shares.ts';
import { createWriteBreaker, type WriteBreaker } from './runs/write-breaker.ts';
import { type ApiSettings, webhookBaseUrl } from './settings.ts';
import { type AwaitRun, createAwaitRun } from './webhooks/await-run.ts';
import { createFailureDelay, type DelayFailure } from './webhooks/failure-delay.ts';
import { createDeliveryLog, type DeliveryLog } from './webhooks/delivery-log.ts';
import { createWebhookFinder, type WebhookFinder } from './webhooks/find-target.ts';
import { createCredentialReader, type CredentialReader } from './webhooks/read-credential.ts';

/** Dependencies of routes. */
export interface Services {
  readonly db: Database;
  /** Reads of runs that decide nothing, from a replica if there is one. */
  readonly runReads: RunReads;
  /** Store of large outputs. */
  readonly outputs: OutputStore;
  readonly redis: Redis;
  readonly queue: QueueShards;
  readonly fleet: FleetView;
  readonly logger: Logger;
  readonly metrics: ApiMetrics;
  readonly metricsAccess: MetricsAccess;
  /** Undefined if tracing is off. */
  readonly tracing: Tracing | undefined;
  readonly nodeTypes: NodeTypes;
  readonly secretBox: SecretBox;
  /** Verifies the tokens of links that answer a wait. */
  readonly answerTokens: AnswerTokens;
  /** Limits requests with such links, by the caller's address. */
  readonly linkLimit: LinkLimit;
  readonly authenticate: Authenticate;
  readonly answerOnce: AnswerOnce;
  /** Proxies whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: readonly string[];
  /** Origins whose pages may call the API. */
  readonly allowedOrigins: ReadonlySet<string>;
  readonly mcp: McpSettings;
  readonly loginThrottle: LoginThrottle;
  readonly passwords: Passwords;
  /** Token needed to create the first owner. */
  readonly setupToken: string;
  readonly forms: FormChecker;
  readonly runStarter: RunStarter;
  readonly prepareCallbacks: PrepareCallbacks;
  readonly events: EventSender;
  readonly noteStart: NoteStart;
  readonly breaker: WriteBreaker;
  readonly executions: ExecutionReader;
  readonly follower: RunFollower;
  /** Limits of what one workspace may have in progress in this process. */
  readonly shares: WorkspaceShares;
  readonly webhooks: WebhookFinder;
  readonly readCredential: CredentialReader;
  /** Delays the response to callers of webhooks with a wrong secret. */
  readonly delayFailure: DelayFailure;
  /** Counts the requests to the webhooks of workflows with a rate limit. */
  readonly workflowRate: WindowRate;
  readonly awaitRun: AwaitRun;
  readonly deliveries: DeliveryLog;
  /** Used by /readyz to check for pending migrations. */
  readonly databaseUrl: string;
  /** Start of the URLs of webhooks. */
  readonly webhookBaseUrl: string;
  /** Host name reserved for webhooks. Undefined if they share that of the console. */
  readonly webhookHost: string | undefined;
  /** Maximum size of a webhook's body, in bytes. */
  readonly webhookMaxBytes: number;
  /** False once the process is about to stop, so that load balancers send no more requests. */
  isReady(): boolean;
  /** Makes `isReady` false and ends the waits for runs. */
  drain(): void;
  /** Writes gathered data, and closes everything except the database, which belongs to the caller. */
  close(): Promise<void>;
}

/** Connects to Redis and creates the services. The databases belong to the caller. */
export async function createServices(options: {
  settings: ApiSettings;
  db: Database;
  replica?: Database | undefined;
  logger: Logger;
  /** URLs of the Redis servers of the queue's shards; by default there is one shard, in REDIS_URL. */
  shardUrls?: readonly string[] | undefined;
  /** Registry for the metrics of the gateway. */
  registry: Registry;
  /** Tracing is off without it. */
  tracing?: Tracing | undefined;
}): Promise<Services> {
  const { settings, db, replica, logger, tracing } = options;
  const webhookHost = webhookHostOf(settings);
  const trustedProxies = readTrustedProxies(settings.TRUSTED_PROXIES);
  const allowedOrigins = readAllowedOrigins(settings.API_ALLOWED_ORIGINS);
  const redis = connectRedis(settings.REDIS_URL, { role: 'producer' });
  const subscriber = connectRedis(settings.REDIS_URL, { role: 'subscriber' });
  for (const connection of [redis, subscriber]) {
    connection.on('error', (err: Error) => logger.warn({ err: err.message }, 'Redis unavailable'));
  }
  const follower = createRunFollower({ db, logger });
  // Not awaited: without Redis, followers of runs see changes later, by polling.
  onChanges(subscriber, (changes) => {
    follower.notify(changes);
  }).catch((err: unknown) => logger.warn({ err }, 'subscription to changes of runs failed'));
  const breaker = createWriteBreaker({
    async probe() {
      await probeWrites(settings.DATABASE_URL);
      await probeRedisWrites(redis);
    },
    logger,
  });
  const fleet = await createFleetView(redis);
  const queue = openQueueShards({
    redisUrl: settings.REDIS_URL,
    redis,
    shardUrls: options.shardUrls,
    takingWorkers: fleet.takingJobs,
    onError: (err) => logger.warn({ err: err.message }, 'Redis of a shard unavailable'),
  });
  const keyUsage = createUsageLog({ write: (ids) => touchApiKeys(db, ids), logger });
  const sessionUsage = createUsageLog({ write: (ids) => touchSessions(db, ids), logger });
  const secretBox = openSecretBox(settings);
  const forms = createFormChecker();
  const deliveries = createDeliveryLog({ db, logger });
  const outputs = await openOutputStore(settings, db);
  const runReads = createRunReads({
    primary: db,
    replica: replica && { db: replica, maxLagMs: settings.DATABASE_REPLICA_MAX_LAG_MS },
    logger,
  });
  const metrics = createApiMetrics(options.registry, { db, queue, fleet, breaker, follower, runReads });
  let ready = true;
  return {
    db,
    runReads,
    outputs,
    redis,
    queue,
    fleet,
    logger,
    metrics,
    metricsAccess: metricsAccess(settings),
    tracing,
    nodeTypes: await loadNodeTypes(),
    secretBox,
    answerTokens: createAnswerTokens(secretBox),
    linkLimit: createLinkLimit(redis),
    authenticate: createAuthenticate({ db, keyUsage, sessionUsage, watch: breaker.watch }),
    answerOnce: createAnswerOnce({ db, logger, hashKey: settings.ENCRYPTION_KEY }),
    trustedProxies,
    allowedOrigins,
    mcp: mcpSettings(settings, allowedOrigins),
    loginThrottle: createLoginThrottle(redis),
    passwords: createPasswords(settings.BCRYPT_ROUNDS),
    setupToken: setupToken(settings),
    forms,
    runStarter: createRunStarter({
      db,
      queue,
      count: createExecutionRate(redis),
      breaker,
      runs: metrics.runs,
      tracing,
      onStopped: (executionIds) => notifyWorkers({ redis, logger, metrics }, 'stop', executionIds),
      logger,
    }),
    events: createEventSender({ db, redis, breaker, logger }),
    noteStart: createNoteStart({ db, logger }),
    prepareCallbacks: createPrepareCallbacks({ db, secretBox }),
    breaker,
    executions: createExecutionReader(db),
    follower,
    shares: createWorkspaceShares(),
    webhooks: createWebhookFinder({ db, secretBox }),
    readCredential: createCredentialReader({ db, secretBox, logger }),
    delayFailure: createFailureDelay(),
    workflowRate: createWindowRate(redis, '{deckhand}:workflow-rate'),
    awaitRun: createAwaitRun({ db, follower }),
    deliveries,
    databaseUrl: settings.DATABASE_URL,
    webhookBaseUrl: webhookBaseUrl(settings),
    webhookHost,
    webhookMaxBytes: settings.WEBHOOK_MAX_BYTES,
    isReady: () => ready,
    drain() {
      ready = false;
      follower.drain();
    },
    async close() {
      await Promise.all([keyUsage.flush(), sessionUsage.flush(), deliveries.flush()]);
      runReads.close();
      fleet.close();
      breaker.close();
      follower.close();
      outputs.close();
      subscriber.disconnect();
      await Promise.all([queue.close(), forms.close()]);
      redis.disconnect();
    },
  };
}
