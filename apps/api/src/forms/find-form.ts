import {
  DeckhandError,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  simpleForm,
  type SimpleForm,
} from '@deckhand/contracts';
import { type Actor, type Database, findWebhooks, type FoundWebhook, readSavedTrigger } from '@deckhand/db';
import { compileTriggerOptions } from '@deckhand/nodes';
import type { RateLimit } from '@deckhand/queue';
import { toRateLimit } from '../webhooks/trigger-settings.ts';

/** A form whose page starts runs. */
export interface FormTarget {
  readonly workflowId: string;
  readonly workspaceId: string;
  readonly nodeId: string;
  /** The version that runs. */
  readonly versionId: string;
  /** The person for whom a test run is started; null for the runs of an active workflow. */
  readonly testActor: Actor | null;
  readonly title: string;
  readonly intro: string;
  readonly schema: JsonObject;
  readonly fields: SimpleForm;
  /** Undefined for the page's own text. */
  readonly thanks: string | undefined;
  readonly redirectUrl: string | undefined;
  /** The limit of requests to the triggers of the workflow. */
  readonly rateLimit: RateLimit | undefined;
  /** Returns the serialised `StartOptions` of a run with the given trigger data. */
  readonly optionsFor: (readTrigger: () => JsonValue) => string | undefined;
}

const SUFFIX = /^[A-Za-z0-9_-]{8,128}$/;

/**
 * Finds a form by the last part of its URL, in the version that is active now, or in the latest one for its test URL.
 * @throws DeckhandError NOT_FOUND, for tests also if the test URL is not open; WEBHOOK_INACTIVE.
 */
export async function findForm(db: Database, suffix: string, { isTest }: { isTest: boolean }): Promise<FormTarget> {
  const [all = []] = SUFFIX.test(suffix) ? await findWebhooks(db, [suffix]) : [];
  const known = all.filter(({ testUserId }) => !isTest || testUserId !== null);
  const forms = (await Promise.all(known.map((found) => readForm(db, found, isTest)))).filter(
    (form) => form !== undefined,
  );
  const [form] = forms.filter(({ isDisabled }) => !isDisabled);
  if (form) return form.target;
  throw forms.length > 0 ? inactive() : new DeckhandError('NOT_FOUND');
}

async function readForm(
  db: Database,
  { workflowId, workspaceId, nodeId, status, latestVersionId, activeVersionId, testUserId }: FoundWebhook,
  isTest: boolean,
): Promise<{ readonly isDisabled: boolean; readonly target: FormTarget } | undefined> {
  const isActive = status === 'active' && activeVersionId !== null;
  // Of an inactive workflow, the version says only whether the URL is that of a form.
  const versionId = isTest || !isActive ? latestVersionId : activeVersionId;
  const saved = versionId === null ? undefined : await readSavedTrigger(db, versionId, nodeId);
  const node = saved?.node;
  if (versionId === null || !saved || !isJsonObject(node) || node.type !== 'trigger.form') return undefined;
  const { title, intro, schema, thanks, redirectUrl, options } = isJsonObject(node.parameters) ? node.parameters : {};
  const fields = simpleForm(schema);
  if (!fields || !isJsonObject(schema)) return undefined;
  return {
    isDisabled: node.disabled === true || (!isTest && !isActive),
    target: {
      ...{ workflowId, workspaceId, nodeId, versionId, schema, fields },
      testActor: isTest && testUserId !== null ? { userId: testUserId, boundTo: null } : null,
      title: textOf(title) ?? '',
      intro: textOf(intro) ?? '',
      thanks: textOf(thanks),
      redirectUrl: textOf(redirectUrl),
      rateLimit: toRateLimit(saved.rateLimit),
      optionsFor: compileTriggerOptions(isJsonObject(options) ? JSON.stringify(options) : undefined),
    },
  };
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function inactive(): DeckhandError {
  return new DeckhandError('WEBHOOK_INACTIVE', { message: 'This form is closed' });
}
