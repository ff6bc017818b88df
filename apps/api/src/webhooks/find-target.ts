import { DeckhandError } from '@deckhand/contracts';
import { type Actor, type Database, findWebhooks, type FoundWebhook, readSavedTrigger } from '@deckhand/db';
import { createBatcher, type SecretBox } from '@deckhand/runtime';
import { readTriggerSettings, type TriggerSettings } from './trigger-settings.ts';

/** The trigger that a request starts. */
export interface WebhookTarget {
  readonly workflowId: string;
  readonly workspaceId: string;
  readonly nodeId: string;
  /** The version that runs. */
  readonly versionId: string;
  /** The person for whom a test run is started; null for the runs of an active workflow. */
  readonly testActor: Actor | null;
  readonly settings: TriggerSettings;
}

/** A webhook that exists, whether it accepts requests or not. */
export interface KnownWebhook {
  readonly workflowId: string;
  /** Its first trigger. */
  readonly nodeId: string;
  /**
   * Returns its current triggers: one, unless several have the same path for different methods.
   * @throws DeckhandError WEBHOOK_INACTIVE; NOT_FOUND if the version that would run has no such trigger.
   */
  targets(): Promise<[WebhookTarget, ...WebhookTarget[]]>;
}

/** Finds webhooks by the last part of their URLs. */
export interface WebhookFinder {
  /** @throws DeckhandError NOT_FOUND, for tests also if the test URL is not open. */
  find(suffix: string, options: { isTest: boolean }): Promise<KnownWebhook>;
}

const SUFFIX = /^[A-Za-z0-9_-]{8,128}$/;
/** Maximum number of lookups per query, and of queries at the same time. */
const BATCH = { maxSize: 500, concurrency: 2 } as const;
/** Maximum number of cached settings of triggers. Those of a version never change. */
const MAX_CACHED_SETTINGS = 2_000;

/**
 * Creates the finder. It looks up the URL of every request in the database, so that activating, deactivating, another
 * version or another URL takes effect everywhere with its response. Requests that arrive together share one query. Only
 * the settings of triggers in saved versions are cached.
 */
export function createWebhookFinder({ db, secretBox }: { db: Database; secretBox: SecretBox }): WebhookFinder {
  const lookUp = createBatcher({ ...BATCH, flush: (suffixes: string[]) => findWebhooks(db, suffixes) });
  const known = new Map<string, TriggerSettings | undefined>();

  async function settingsOf(versionId: string, nodeId: string): Promise<TriggerSettings | undefined> {
    const key = `${versionId} ${nodeId}`;
    if (known.has(key)) return known.get(key);
    const saved = await readSavedTrigger(db, versionId, nodeId);
    const settings = saved && (await readTriggerSettings(saved, secretBox));
    const [oldest] = known.keys();
    if (known.size >= MAX_CACHED_SETTINGS && oldest !== undefined) known.delete(oldest);
    known.set(key, settings);
    return settings;
  }

  async function targetOf(found: FoundWebhook, isTest: boolean): Promise<WebhookTarget | undefined> {
    const { workflowId, workspaceId, nodeId, testUserId } = found;
    const versionId = isTest ? found.latestVersionId : found.activeVersionId;
    if (versionId === null || (!isTest && found.status !== 'active')) {
      throw new DeckhandError('WEBHOOK_INACTIVE', { message: `The workflow is ${found.status}: activate it first` });
    }
    const settings = await settingsOf(versionId, nodeId);
    const testActor = isTest && testUserId !== null ? { userId: testUserId, boundTo: null } : null;
    return settings && { workflowId, workspaceId, nodeId, versionId, testActor, settings };
  }

  async function targetsOf(
    found: readonly FoundWebhook[],
    isTest: boolean,
  ): Promise<[WebhookTarget, ...WebhookTarget[]]> {
    const targets = await Promise.all(found.map((webhook) => targetOf(webhook, isTest)));
    const existing = targets.filter((target) => target !== undefined);
    const [first, ...others] = existing.filter(({ settings }) => !settings.isDisabled);
    if (first) return [first, ...others];
    if (existing.length === 0) {
      throw new DeckhandError('NOT_FOUND', { message: 'The workflow has no such webhook any more' });
    }
    throw new DeckhandError('WEBHOOK_INACTIVE', { message: 'The trigger is disabled: enable it first' });
  }

  return {
    async find(suffix, { isTest }) {
      const all = SUFFIX.test(suffix) ? await lookUp(suffix) : [];
      if (all.length === 0) throw new DeckhandError('NOT_FOUND', { message: 'There is no such webhook' });
      const found = isTest ? all.filter(({ testUserId }) => testUserId !== null) : all;
      const [first] = found;
      if (!first) throw new DeckhandError('NOT_FOUND', { message: 'The test URL is not open: open it in the editor' });
      return { workflowId: first.workflowId, nodeId: first.nodeId, targets: () => targetsOf(found, isTest) };
    },
  };
}
