import {
  changeConnection,
  createConnectorStore,
  type Database,
  probeWrites,
  PROVIDER_LIMIT_MS,
  readConnection,
  type SessionLimits,
  touchApiKeys,
  touchConnection,
  touchSessions,
} from '@deckhand/db';
import {
  createBuiltInConnectors,
  createConnectors,
  createCredentialOpener,
  createFileProcesses,
  createHttpClient,
  createInputChecker,
  createMailSender,
  createPostgresClient,
  createSchemaChecker,
  createSftpClient,
  createSignOnProvider,
  createTokenKeeper,
  httpClientOptions,
  loadNodeTypes,
} from '@deckhand/nodes';
import {
  connectRedis,
  createExecutionRate,
  createFleetView,
  createTrafficControl,
  createWindowRate,
  onChanges,
  openQueueShards,
  probeRedisWrites,
  type Redis,
} from '@deckhand/queue';
import { openFileStore, openOutputStore } from '@deckhand/outputs';
import {
  createAnswerTokens,
  createFileTokens,
  createMemoryBudget,
  createResultSignatures,
  type Logger,
  openSecretBox,
  type Tracing,
  type SecretBox,
} from '@deckhand/runtime';
import type { Registry } from 'prom-client';
import type {
  FormContext,
  LinkContext,
  McpContext,
  MonitoringContext,
  PeopleContext,
  RequestContext,
  ResourceContext,
  RunContext,
  StartContext,
  WebhookContext,
} from './contexts.ts';
import { createAuthenticate, createUsageLog } from './auth/authenticate.ts';
import { createPasswords } from './auth/passwords.ts';
import { createDeviceAuthorizations } from './auth/device-authorizations.ts';
import { createLoginThrottle } from './auth/login-throttle.ts';
import { readMailSettings } from './auth/mail-settings.ts';
import { createPasskeys } from './auth/passkeys.ts';
import { createPassingStates } from './auth/passing-states.ts';
import { createPendingSignIns, PENDING_SECONDS, type PendingState } from './auth/pending-sign-ins.ts';
import { createSecondFactorLimit } from './auth/second-factor-limit.ts';
import { readSecondFactorRule } from './auth/second-factor-settings.ts';
import { createSecondFactors } from './auth/second-factors.ts';
import { createPasswordResets } from './auth/password-resets.ts';
import { createRequestLimit } from './auth/request-limit.ts';
import { ATTEMPT_SECONDS, createSignOnAttempts, type StartedAttempt } from './auth/sign-on-attempts.ts';
import { type PasswordRules, readPasswordRules, readSignOn } from './auth/sign-on-settings.ts';
import { createSingleSignOn } from './auth/single-sign-on.ts';
import { createConnectionAttempts } from './credentials/connection-attempts.ts';
import { createConnections } from './credentials/connections.ts';
import { createTrialRate } from './credentials/trial-rate.ts';
import { createTryCredential } from './credentials/try-credential.ts';
import { createTestOperationFinder } from './connectors/test-operation.ts';
import { createAnswerOnce } from './http/answer-once.ts';
import { readAllowedOrigins } from './http/cors.ts';
import { webhookHostOf } from './http/separate-hosts.ts';
import { readTrustedProxies } from './http/caller-address.ts';
import { createLinkLimit } from './links/link-limit.ts';
import { mcpSettings } from './mcp/settings.ts';
import { createApiMetrics } from './metrics/metrics.ts';
import { metricsAccess } from './metrics/access.ts';
import { createExecutionReader } from './runs/execution-reader.ts';
import { createEventSender } from './runs/event-sender.ts';
import { createNoteStart, createRunStarter } from './runs/run-starter.ts';
import { createPrepareCallbacks } from './runs/prepare-callbacks.ts';
import { createRunFollower } from './runs/follow-runs.ts';
import { createRunReads } from './runs/run-reads.ts';
import { createNotifyWorkers } from './runs/notify-workers.ts';
import { createWorkspaceShares } from './runs/workspace-shares.ts';
import { createWriteBreaker } from './runs/write-breaker.ts';
import { type ApiSettings, publicUrl, sessionLimits, setupToken, webhookBaseUrl } from './settings.ts';
import { createAwaitRun } from './webhooks/await-run.ts';
import { createFailureDelay } from './webhooks/failure-delay.ts';
import { createDeliveryLog } from './webhooks/delivery-log.ts';
import { createWebhookFinder } from './webhooks/find-target.ts';
import { createCredentialReader } from './webhooks/read-credential.ts';

/** Maximum number of bytes of files in the memory of the process while they are received: in S3, 8 MiB of each. */
const MAX_UPLOAD_BYTES = 268_435_456;

/** Maximum number of rounds of a private key: those of `ssh-keygen`. Each takes some 28 ms of the process's time. */
const MAX_KEY_ROUNDS = 24;

/** Number of documents of connectors that are read at the same time: each takes up to 512 MiB. */
const MAX_FILE_PROCESSES = 1;

/** What the gateway consists of, by the area that needs it. */
export interface Services {
  readonly requests: RequestContext;
  readonly people: PeopleContext;
  readonly resources: ResourceContext;
  readonly starts: StartContext;
  readonly runs: RunContext;
  readonly links: LinkContext;
  readonly publicForms: FormContext;
  readonly webhooks: WebhookContext;
  readonly mcp: McpContext;
  readonly monitoring: MonitoringContext;
  /** Makes `isReady` false and ends the waits for runs. */
  drain(): void;
  /** Writes gathered data, and closes everything except the database, which belongs to the caller. */
  close(): Promise<void>;
}

/** What the gateway is made of. The databases belong to the caller. */
export interface ServiceOptions {
  readonly settings: ApiSettings;
  readonly db: Database;
  readonly replica?: Database | undefined;
  readonly logger: Logger;
  /** URLs of the Redis servers of the queue's shards; by default there is one shard, in REDIS_URL. */
  readonly shardUrls?: readonly string[] | undefined;
  /** Registry for the metrics of the gateway. */
  readonly registry: Registry;
  /** Tracing is off without it. */
  readonly tracing?: Tracing | undefined;
}

/** Connects to Redis and creates the services. @throws SettingsError or RangeError for settings that cannot be used. */
export async function createServices(options: ServiceOptions): Promise<Services> {
  const { settings, db, replica, logger, tracing } = options;
  const webhookHost = webhookHostOf(settings);
  const trustedProxies = readTrustedProxies(settings.TRUSTED_PROXIES);
  const allowedOrigins = readAllowedOrigins(settings.API_ALLOWED_ORIGINS);
  const signOn = readSignOn(settings);
  const passwordRules = readPasswordRules(settings);
  const mail = readMailSettings(settings);
  const limits = sessionLimits(settings);
  const secondFactorRule = readSecondFactorRule(settings);
  const connected = await connect(options);
  const { redis, queue, fleet, follower, breaker } = connected;
  const keyUsage = createUsageLog({ write: (ids) => touchApiKeys(db, ids), logger });
  const sessionUsage = createUsageLog({ write: (ids) => touchSessions(db, ids), logger });
  const secretBox = openSecretBox(settings);
  const fileTokens = createFileTokens(secretBox);
  const forms = createSchemaChecker();
  const checkInput = createInputChecker(forms);
  const deliveries = createDeliveryLog({ db, logger });
  const outputs = await openOutputStore(settings, db);
  const files = await openFileStore(settings, db, createMemoryBudget(MAX_UPLOAD_BYTES));
  const runReads = createRunReads({
    primary: db,
    replica: replica && { db: replica, maxLagMs: settings.DATABASE_REPLICA_MAX_LAG_MS },
    logger,
  });
  const metrics = createApiMetrics(options.registry, { db, queue, fleet, breaker, follower, runReads });
  const notifyWorkers = createNotifyWorkers({ redis, logger, runs: metrics.runs });
  const runStarter = createRunStarter({
    db,
    queue,
    count: createExecutionRate(redis),
    checkInput,
    breaker,
    runs: metrics.runs,
    tracing,
    onStopped: (executionIds) => notifyWorkers('stop', executionIds),
    logger,
  });
  const authenticate = createAuthenticate({
    ...{ db, keyUsage, sessionUsage, watch: breaker.watch },
    ...{ sessionLimits: limits, secondFactorRule },
  });
  const answerOnce = createAnswerOnce({ db, logger, hashKey: settings.ENCRYPTION_KEY });
  const nodeTypes = await loadNodeTypes();
  const events = createEventSender({ db, redis, breaker, logger });
  const http = createHttpClient(httpClientOptions(settings));
  const builtIn = createBuiltInConnectors();
  const store = createConnectorStore(db);
  const connectors = createConnectors({ store, builtIn, checkInput });
  const shares = createWorkspaceShares();
  const postgres = createPostgresClient({ allowPrivate: settings.HTTP_NODE_ALLOW_PRIVATE });
  const keeper = createTokenKeeper({
    store: {
      read: (id) => readConnection(db, id),
      change: (id, decide) => changeConnection(db, id, decide),
    },
    ...{ box: secretBox, http, providerLimitMs: PROVIDER_LIMIT_MS },
    onError: (err) => logger.warn({ err }, 'failed to refresh tokens before they expire'),
  });
  // The operator chose the identity provider, which may have a private address.
  const signOnHttp = createHttpClient({ ...httpClientOptions(settings), allowPrivate: true });
  const passwordResets =
    mail &&
    createPasswordResets({
      ...{ db, settings: mail, rules: passwordRules, publicUrl: publicUrl(settings), logger },
      mails: createMailSender({ allowPrivate: true }),
      limit: createRequestLimit(redis, { name: 'reset-mails', points: 3, seconds: 3_600 }),
    });
  let ready = true;

  const resources = {
    ...{ db, secretBox, nodeTypes, answerOnce, notifyWorkers, authenticate },
    connectors: { ...connectors, builtIn, fileProcesses: createFileProcesses(MAX_FILE_PROCESSES) },
    findTestOperation: createTestOperationFinder(db, builtIn),
    tryCredential: createTryCredential({
      shares,
      count: createTrialRate(redis),
      open: createCredentialOpener({
        ...{ secretBox, keeper, publicUrl: publicUrl(settings) },
        read: (credential) => Promise.resolve(credential),
        readConnection: (id) => readConnection(db, id),
        noteUse: (id) => {
          touchConnection(db, id).catch((err: unknown) =>
            logger.warn({ err }, 'failed to record the use of a credential'),
          );
        },
      }),
      services: {
        ...{ http, connectors, postgres, traffic: createTrafficControl({ redis, logger }) },
        mail: createMailSender({ allowPrivate: settings.HTTP_NODE_ALLOW_PRIVATE }),
        sftp: createSftpClient({ allowPrivate: settings.HTTP_NODE_ALLOW_PRIVATE, maxKeyRounds: MAX_KEY_ROUNDS }),
      },
    }),
    connections: createConnections({
      ...{ db, secretBox, http, keeper, logger },
      attempts: createConnectionAttempts(redis, secretBox),
      publicUrl: publicUrl(settings),
    }),
    webhookBaseUrl: webhookBaseUrl(settings),
  };
  const starts = {
    ...{ db, logger, nodeTypes, fleet, breaker, runStarter, checkInput, events },
    prepareCallbacks: createPrepareCallbacks({ db, secretBox }),
    noteStart: createNoteStart({ db, logger }),
  };
  const answers = { db, logger, queue, forms, notifyWorkers };
  const linkLimit = createLinkLimit(redis);
  const workflowRate = createWindowRate(redis, '{deckhand}:workflow-rate');
  const maxFileBytes = Math.max(settings.WEBHOOK_MAX_BYTES, settings.WEBHOOK_MAX_FILE_BYTES);
  const runs = {
    ...{ ...answers, authenticate, answerOnce, runReads, outputs, files, fileTokens, follower, shares },
    executions: createExecutionReader(db),
    publicUrl: publicUrl(settings),
  };
  return {
    requests: {
      ...{ logger, metrics, tracing, authenticate },
      ...{ trustedProxies, allowedOrigins, webhookHost },
    },
    people: {
      ...{ db, secretBox, authenticate },
      loginThrottle: createLoginThrottle(redis),
      passwords: createPasswords(settings.BCRYPT_ROUNDS),
      devices: createDeviceAuthorizations(redis, secretBox),
      setupToken: setupToken(settings),
      ...{ passwordRules, passwordResets, sessionLimits: limits, publicUrl: publicUrl(settings) },
      ...openSecondFactors({ db, redis, secretBox, passwordRules, sessionLimits: limits, settings }),
      resetLimit: createRequestLimit(redis, { name: 'reset', points: 20, seconds: 300 }),
      singleSignOn:
        signOn &&
        createSingleSignOn({
          ...{ db, secretBox, configuration: signOn, publicUrl: publicUrl(settings) },
          breakGlass: passwordRules.breakGlass,
          attempts: createSignOnAttempts(
            createPassingStates<StartedAttempt>(redis, secretBox, { kind: 'sign-on', seconds: ATTEMPT_SECONDS }),
          ),
          provider: createSignOnProvider(
            { ...signOn, redirectUrl: `${publicUrl(settings)}/sso/callback` },
            { http: signOnHttp },
          ),
        }),
      signOnLimit: createRequestLimit(redis, { name: 'sign-on', points: 100, seconds: 300 }),
    },
    ...{ resources, starts, runs },
    links: {
      ...{ ...answers, files, fileTokens, shares, maxFileBytes },
      answerTokens: createAnswerTokens(secretBox),
      linkLimit,
    },
    publicForms: {
      ...{ db, logger, breaker, runStarter, forms, deliveries },
      ...{ linkLimit, workflowRate, files, shares, maxFileBytes },
    },
    webhooks: {
      ...{ db, files, shares, logger, breaker, runStarter, events, deliveries },
      webhooks: createWebhookFinder({ db, secretBox }),
      awaitRun: createAwaitRun({ db, follower, signatures: createResultSignatures(secretBox) }),
      readCredential: createCredentialReader({ db, secretBox, logger }),
      webhookBaseUrl: resources.webhookBaseUrl,
      delayFailure: createFailureDelay(),
      workflowRate,
      maxBytes: settings.WEBHOOK_MAX_BYTES,
      maxFileBytes,
    },
    mcp: { settings: mcpSettings(settings, allowedOrigins), resources, starts, runs },
    monitoring: {
      ...{ db, runReads, redis, queue, fleet, logger, metrics },
      metricsAccess: metricsAccess(settings),
      databaseUrl: settings.DATABASE_URL,
      isReady: () => ready,
    },
    drain() {
      ready = false;
      follower.drain();
    },
    async close() {
      await Promise.all([keyUsage.flush(), sessionUsage.flush(), deliveries.flush(), passwordResets?.drain()]);
      for (const part of [runReads, fleet, breaker, follower, outputs, files]) part.close();
      connected.subscriber.disconnect();
      await Promise.all([queue.close(), forms.close(), http.close(), signOnHttp.close(), postgres.close()]);
      redis.disconnect();
    },
  };
}

/** Creates what checks second factors. */
function openSecondFactors({
  db,
  redis,
  secretBox,
  passwordRules,
  sessionLimits: limits,
  settings,
}: {
  readonly db: Database;
  readonly redis: Redis;
  readonly secretBox: SecretBox;
  readonly passwordRules: PasswordRules;
  readonly sessionLimits: SessionLimits;
  readonly settings: ApiSettings;
}) {
  const passkeys = createPasskeys(publicUrl(settings));
  const secondFactorLimit = createSecondFactorLimit(redis);
  const secondFactors = createSecondFactors({ db, secretBox, passkeys, limit: secondFactorLimit });
  const states = createPassingStates<PendingState>(redis, secretBox, { kind: 'sign-in', seconds: PENDING_SECONDS });
  return {
    ...{ passkeys, secondFactors, secondFactorLimit, asksAfterSignOn: settings.SECOND_FACTOR_AFTER_SSO },
    pendingSignIns: createPendingSignIns({
      ...{ db, passkeys, states, passwordRules },
      ...{ sessionLimits: limits, factors: secondFactors },
    }),
    confirmations: createPassingStates<{ readonly challenge: string }>(redis, secretBox, {
      ...{ kind: 'confirmation', seconds: PENDING_SECONDS },
    }),
  };
}

/** Connects to Redis, and creates what follows runs, workers and the state of the stores from then on. */
async function connect({ settings, db, logger, shardUrls }: ServiceOptions) {
  const redis = connectRedis(settings.REDIS_URL, { role: 'producer' });
  const subscriber = connectRedis(settings.REDIS_URL, { role: 'subscriber' });
  for (const connection of [redis, subscriber]) {
    connection.on('error', (err: Error) => logger.warn({ err: err.message }, 'Redis became unavailable'));
  }
  const follower = createRunFollower({ db, logger });
  // Not awaited: without Redis, followers of runs see changes later, by polling.
  onChanges(subscriber, (changes) => {
    follower.notify(changes);
  }).catch((err: unknown) => logger.warn({ err }, 'failed to subscribe to changes of runs'));
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
    shardUrls,
    takingWorkers: fleet.takingJobs,
    onError: (err) => logger.warn({ err: err.message }, 'Redis of a shard became unavailable'),
  });
  return { redis, subscriber, follower, breaker, fleet, queue };
}
