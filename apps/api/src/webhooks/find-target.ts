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
  /** The last part of its URL, if the trigger was found for an earlier request: the start has to check it. */
  readonly checkedSuffix: string | undefined;
  /** The person for whom a test run is started; null for the runs of an active workflow. */
  readonly testActor: Actor | null;
  readonly settings: TriggerSettings;
}

/** A webhook that exists, whether it accepts requests or not. */
export interface KnownWebhook {
  readonly workflowId: string;
  /** Its first trigger. */
  readonly nodeId: string;
  /** Whether it was found for an earlier request. Then every refusal has to be decided again by `find`. */
  readonly isRemembered: boolean;
  /**
   * Returns its current triggers: one, unless several have the same path for different methods.
   * @throws DeckhandError WEBHOOK_INACTIVE; NOT_FOUND if the version that would run has no such trigger.
   */
  targets(): Promise<[WebhookTarget, ...WebhookTarget[]]>;
}

/** How webhooks were found. */
interface Lookup {
  readonly isTest: boolean;
  readonly isRemembered: boolean;
}

/** Finds webhooks by the last part of their URLs. */
export interface WebhookFinder {
  /** @throws DeckhandError NOT_FOUND, for tests also if the test URL is not open. */
  find(suffix: string, options: { isTest: boolean }): Promise<KnownWebhook>;
  /** Returns a webhook as `find` has found it before; undefined if it was not found, or does not start runs. */
  recall(suffix: string): KnownWebhook | undefined;
}

const SUFFIX = /^[A-Za-z0-9_-]{8,128}$/;
/** Maximum number of lookups per query, and of queries at the same time. */
const BATCH = { maxSize: 500, concurrency: 2 } as const;
/** Maximum number of cached settings of triggers. Those of a version never change. */
const MAX_CACHED_SETTINGS = 2_000;

/** Maximum number of webhooks that are remembered. */
const MAX_REMEMBERED = 2_000;

/**
 * Creates the finder. Activating, deactivating, another version or another URL takes effect everywhere with its
 * response: a URL is looked up in the database for each request, or the statement that starts the run checks that a
 * remembered one is current. Requests that arrive together share one query. The settings of triggers in saved versions
 * are cached.
 */
export function createWebhookFinder({ db, secretBox }: { db: Database; secretBox: SecretBox }): WebhookFinder {
  const lookUp = createBatcher({ ...BATCH, flush: (suffixes: string[]) => findWebhooks(db, suffixes) });
  const known = new Map<string, TriggerSettings | undefined>();
  const remembered = new Map<string, readonly FoundWebhook[]>();

  async function settingsOf(versionId: string, nodeId: string): Promise<TriggerSettings | undefined> {
    const key = `${versionId} ${nodeId}`;
    if (known.has(key)) return known.get(key);
    const saved = await readSavedTrigger(db, versionId, nodeId);
    const settings = saved && (await readTriggerSettings(saved, secretBox));
    setBounded(known, key, settings, MAX_CACHED_SETTINGS);
    return settings;
  }

  async function targetOf(found: FoundWebhook, { isTest, isRemembered }: Lookup): Promise<WebhookTarget | undefined> {
    const { workflowId, workspaceId, nodeId, testUserId } = found;
    const versionId = isTest ? found.latestVersionId : found.activeVersionId;
    if (versionId === null || (!isTest && found.status !== 'active')) {
      throw new DeckhandError('WEBHOOK_INACTIVE', { message: `The workflow is ${found.status}: activate it first` });
    }
    const settings = await settingsOf(versionId, nodeId);
    const testActor = isTest && testUserId !== null ? { userId: testUserId, boundTo: null } : null;
    const checkedSuffix = isRemembered ? found.suffix : undefined;
    return settings && { workflowId, workspaceId, nodeId, versionId, checkedSuffix, testActor, settings };
  }

  async function targetsOf(
    found: readonly FoundWebhook[],
    lookup: Lookup,
  ): Promise<[WebhookTarget, ...WebhookTarget[]]> {
    const targets = await Promise.all(found.map((webhook) => targetOf(webhook, lookup)));
    const existing = targets.filter((target) => target !== undefined);
    const [first, ...others] = existing.filter(({ settings }) => !settings.isDisabled);
    if (first) {
      // A stream can be read once, so a body that is stored is received for current settings only.
      const mayBeRemembered = existing.every(({ settings }) => settings.signal === undefined && !settings.storesFiles);
      if (!lookup.isTest && mayBeRemembered) setBounded(remembered, found[0]?.suffix ?? '', found, MAX_REMEMBERED);
      return [first, ...others];
    }
    if (existing.length === 0) {
      throw new DeckhandError('NOT_FOUND', { message: 'The workflow has no such webhook any more' });
    }
    throw new DeckhandError('WEBHOOK_INACTIVE', { message: 'The trigger is disabled: enable it first' });
  }

  function toKnown(first: FoundWebhook, found: readonly FoundWebhook[], lookup: Lookup): KnownWebhook {
    const { workflowId, nodeId } = first;
    return { workflowId, nodeId, isRemembered: lookup.isRemembered, targets: () => targetsOf(found, lookup) };
  }

  return {
    async find(suffix, { isTest }) {
      remembered.delete(suffix);
      const all = SUFFIX.test(suffix) ? await lookUp(suffix) : [];
      if (all.length === 0) throw new DeckhandError('NOT_FOUND', { message: 'There is no such webhook' });
      const found = isTest ? all.filter(({ testUserId }) => testUserId !== null) : all;
      const [first] = found;
      if (!first) throw new DeckhandError('NOT_FOUND', { message: 'The test URL is not open: open it in the editor' });
      return toKnown(first, found, { isTest, isRemembered: false });
    },
    recall(suffix) {
      const found = remembered.get(suffix);
      return found?.[0] && toKnown(found[0], found, { isTest: false, isRemembered: true });
    },
  };
}

/** Sets an entry, and deletes the oldest one of a full map. */
function setBounded<K, V>(map: Map<K, V>, key: K, value: V, maxSize: number): void {
  const [oldest] = map.keys();
  if (map.size >= maxSize && oldest !== undefined) map.delete(oldest);
  map.set(key, value);
}
