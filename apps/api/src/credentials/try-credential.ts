import { type CredentialTest, type JsonValue, MAX_TEST_MESSAGE } from '@deckhand/contracts';
import type { TriedCredential } from '@deckhand/db';
import { maskSecrets, NodeError, type NodeFiles, type OpenedCredential, type TrafficControl } from '@deckhand/engine';
import type { CheckContext, OpenCredential } from '@deckhand/nodes';
import { randomUUID } from 'node:crypto';
import type { WorkspaceShares } from '../runs/workspace-shares.ts';

/** Longest wait for the limit of a credential, in s: a longer one would only take a place that nobody uses. */
const MAX_WAIT_SECONDS = 5;

/** How long the service behind a credential may take in all, in ms. */
const TRIAL_MS = 10_000;

/** What became of requests with a credential: nothing in it has one of its secrets. */
export type TrialOutcome =
  | { readonly kind: 'output'; readonly output: JsonValue }
  | { readonly kind: 'failure'; readonly failure: Pick<CredentialTest & { ok: false }, 'code' | 'message'> };

/**
 * Uses a credential for a person outside of a run: for ten seconds, a few at a time, and with a rate for each
 * workspace. @throws DeckhandError RATE_LIMITED, SERVICE_UNAVAILABLE.
 */
export type TryCredential = (
  credential: TriedCredential,
  work: (context: CheckContext) => Promise<JsonValue>,
  /** Aborts once the caller has left. */
  gone: AbortSignal,
) => Promise<TrialOutcome>;

/** What using credentials outside of runs needs. */
export interface TrialParts {
  readonly open: OpenCredential<TriedCredential>;
  readonly services: CheckContext['services'];
  readonly shares: WorkspaceShares;
  /** Counts the uses of a workspace. @throws DeckhandError RATE_LIMITED. */
  readonly count: (workspaceId: string) => Promise<void>;
}

/** Creates the function that uses credentials outside of runs. */
export function createTryCredential({ open, services: given, shares, count }: TrialParts): TryCredential {
  const services = { ...given, traffic: waitingShortly(given.traffic) };
  return async (credential, work, gone) => {
    const { workspaceId, id } = credential;
    await count(workspaceId);
    return shares.within(workspaceId, 'tests of credentials', async () => {
      const opened: OpenedCredential[] = [];
      const { signal, done } = limitedTo(TRIAL_MS, gone);
      const openOnce = async (sentTo?: URL): Promise<OpenedCredential> => {
        const found = watched(await open(credential, id, { sentTo, signal: () => signal }));
        return found;
      };
      // A renewed token is a secret, too.
      function watched(found: OpenedCredential): OpenedCredential {
        opened.push(found);
        const { renew } = found;
        if (!renew) return found;
        return {
          ...found,
          async renew() {
            const renewed = await renew();
            return renewed && watched(renewed);
          },
        };
      }
      const context: CheckContext = {
        ...{ workspaceId, credentialId: id, services, files: NO_FILES },
        ...{ credential: openOnce, idempotencyKey: randomUUID(), signal: () => signal, now: () => Date.now() },
      };
      try {
        return maskedOutput(await work(context), opened);
      } catch (error) {
        // What waits for nothing but the signal may end with an error of its own.
        const cause: unknown = signal.aborted ? signal.reason : error;
        if (!(cause instanceof NodeError)) throw cause;
        return maskedFailure(cause, opened);
      } finally {
        done();
      }
    });
  };
}

/** Returns a signal that aborts after a time, and once the caller has left. */
function limitedTo(ms: number, gone: AbortSignal): { readonly signal: AbortSignal; readonly done: () => void } {
  const controller = new AbortController();
  const timer = setTimeout(() => {
    controller.abort(new NodeError('NODE_TIMEOUT', `there was no complete response within ${ms / 1_000} s`));
  }, ms);
  const leave = (): void => controller.abort(new NodeError('CALLER_LEFT', 'the caller has left'));
  gone.addEventListener('abort', leave, { once: true });
  if (gone.aborted) leave();
  const done = (): void => {
    clearTimeout(timer);
    gone.removeEventListener('abort', leave);
  };
  return { signal: controller.signal, done };
}

/** Returns limits that admit a request soon or not at all, also by the rate of a connector. */
function waitingShortly(traffic: TrafficControl): TrafficControl {
  return {
    admit(request) {
      const { rateLimit } = request.limits;
      if (!rateLimit) return traffic.admit(request);
      const maxWaitSeconds = Math.min(rateLimit.maxWaitSeconds ?? MAX_WAIT_SECONDS, MAX_WAIT_SECONDS);
      return traffic.admit({ ...request, limits: { ...request.limits, rateLimit: { ...rateLimit, maxWaitSeconds } } });
    },
  };
}

function maskedOutput(output: JsonValue, opened: readonly OpenedCredential[]): TrialOutcome {
  const masked = maskSecrets({ kind: 'output', output }, opened);
  return { kind: 'output', output: masked.kind === 'output' ? masked.output : null };
}

function maskedFailure({ code, message }: NodeError, opened: readonly OpenedCredential[]): TrialOutcome {
  const failure = { code, message, isRetryable: false };
  const masked = maskSecrets({ kind: 'failure', failure }, opened);
  const text = masked.kind === 'failure' ? masked.failure.message : '';
  return { kind: 'failure', failure: { code, message: storable(text.slice(0, MAX_TEST_MESSAGE)) } };
}

/** Returns a text of a service without what JSON of PostgreSQL cannot have; a cut may have split a pair, too. */
function storable(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}

const noFiles = (): Promise<never> =>
  Promise.reject(new NodeError('FILE_NOT_FOUND', 'there are no files outside of a run', { isRetryable: false }));

const NO_FILES: NodeFiles = { open: noFiles, save: noFiles };
