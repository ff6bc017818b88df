import type { Request, RequestHandler } from 'express';
import {
  DeckhandError,
  executeScopes,
  isUuid,
  type Scope,
  scopesAllow,
  scopesAllowAll,
  SLUG_PATTERN,
  validationFailed,
} from '@deckhand/contracts';
import {
  type Database,
  findApiKeys,
  findSessions,
  findWorkflowsBySlug,
  hasSecondFactor,
  requirePermission,
  type SecondFactorRule,
  type SessionLimits,
} from '@deckhand/db';
import { createBatcher, type Logger } from '@deckhand/runtime';
import type { WriteBreaker } from '../runs/write-breaker.ts';
import type { Caller, KeyCaller, SessionCaller } from './caller.ts';
import { originOf } from '../http/caller-address.ts';
import { requireConfirmed } from './require-confirmed.ts';
import { hashSecret, isApiKeyText, isSessionToken } from './tokens.ts';

/** The scope that an API key needs for an operation. */
export interface NeededScope {
  /** The scope that refusals name. */
  readonly scope: Scope | 'workspaces:*';
  /** Whether a scope that only starts runs of the workflow in the path is enough. */
  readonly startsRuns?: boolean;
  /** A scope that it needs, too. */
  readonly also?: Scope;
}

/** What starting runs of a workflow needs. */
export const STARTS_RUNS: NeededScope = { scope: 'workflows:write', startsRuns: true };

/** Identifies the caller, and checks that it may use the operation. */
export interface Authenticate {
  /** @throws DeckhandError UNAUTHORIZED; SESSION_REQUIRED for an API key; FORBIDDEN for a workspace of others. */
  session(request: Request): Promise<SessionCaller>;
  /**
   * Where runs are started, a slug in the path is replaced by the id of its workflow.
   * @throws DeckhandError UNAUTHORIZED; INSUFFICIENT_SCOPE or WORKSPACE_MISMATCH for an API key; FORBIDDEN if the
   * query names a workspace of others; NOT_FOUND or VALIDATION_FAILED for a slug of no workflow, or of several.
   */
  caller(request: Request, needed: NeededScope): Promise<Caller>;
  /**
   * Identifies an API key whose scopes are checked later, by `requireScope`.
   * @throws DeckhandError UNAUTHORIZED, for a session too; WORKSPACE_MISMATCH; FORBIDDEN if the query names a workspace
   * of others.
   */
  key(request: Request): Promise<KeyCaller>;
  /**
   * Checks that a person with a second factor proved it within ten minutes. Keys have no person to ask.
   * @throws DeckhandError CONFIRMATION_REQUIRED.
   */
  requireConfirmed(caller: Caller): Promise<void>;
}

/** Maximum number of lookups per query, and of queries at the same time. */
const BATCH = { maxSize: 500, concurrency: 2 } as const;

/**
 * Looks up the key or session of every request in the database, so that a revocation takes effect everywhere with its
 * response. Requests that arrive together share one query.
 */
export function createAuthenticate(options: {
  db: Database;
  keyUsage: UsageLog;
  sessionUsage: UsageLog;
  sessionLimits: SessionLimits;
  /** Undefined if nobody must have a second factor. */
  secondFactorRule: SecondFactorRule | undefined;
  /** Wraps every lookup, so that one which fails or hangs is noticed. */
  watch: WriteBreaker['watch'];
}): Authenticate {
  const { db, keyUsage, sessionUsage, sessionLimits, secondFactorRule, watch } = options;
  const findKey = createBatcher({ ...BATCH, flush: (hashes: string[]) => watch(() => findApiKeys(db, hashes)) });
  const findSession = createBatcher({
    ...BATCH,
    flush: (hashes: string[]) => watch(() => findSessions(db, hashes, sessionLimits, secondFactorRule)),
  });

  /** If a request has a key and a session, the key counts, because it may do less. */
  async function identify(request: Request): Promise<Caller> {
    const key = request.headers['x-api-key'];
    if (key !== undefined) return identifyKey(request, String(key));
    const bearer = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
    if (bearer === undefined) throw new DeckhandError('UNAUTHORIZED');
    if (isApiKeyText(bearer)) {
      throw new DeckhandError('UNAUTHORIZED', { message: 'Send API keys in x-api-key, not as Bearer' });
    }
    return identifySession(request, bearer);
  }

  async function identifyKey(request: Request, text: string): Promise<KeyCaller> {
    const key = isApiKeyText(text) ? await findKey(hashSecret(text)) : undefined;
    if (!key) throw new DeckhandError('UNAUTHORIZED');
    keyUsage.note(key.apiKeyId);
    return { kind: 'key', origin: () => originOf(request, key.apiKeyId), ...key };
  }

  async function identifySession(request: Request, token: string): Promise<SessionCaller> {
    const session = isSessionToken(token) ? await findSession(hashSecret(token)) : undefined;
    if (!session) throw new DeckhandError('UNAUTHORIZED');
    if (session.lacksSecondFactor && !isOpenWithoutFactor(request)) throw new DeckhandError('SECOND_FACTOR_REQUIRED');
    sessionUsage.note(session.sessionId);
    const { id: userId } = session.user;
    return { kind: 'session', userId, boundTo: null, origin: () => originOf(request, null), ...session };
  }

  /**
   * A caller that names a workspace in the query must be a member of it, whatever else the request contains. Operations
   * for administrators concern every workspace.
   */
  async function requireMembership(caller: Caller, { path, query }: Request): Promise<void> {
    const { workspaceId } = query;
    if (caller.kind === 'session' && caller.user.isAdmin && /^\/api\/admin\//i.test(path)) return;
    if (typeof workspaceId === 'string' && isUuid(workspaceId))
      await requirePermission(db, caller, workspaceId, 'workspace.see');
  }

  /** Returns the ids of the workflows that the path may name: by an id, or by a slug where runs are started. */
  async function workflowsInPath({ params, query }: Request, actor: Caller, needed: NeededScope): Promise<string[]> {
    const { id } = params;
    if (typeof id !== 'string' || needed.startsRuns !== true) return [];
    if (isUuid(id)) return [id];
    const { workspaceId } = query;
    const of = typeof workspaceId === 'string' && isUuid(workspaceId) ? workspaceId : undefined;
    return SLUG_PATTERN.test(id) ? findWorkflowsBySlug(db, actor, id, of) : [];
  }

  return {
    async session(request) {
      const caller = await identify(request);
      if (caller.kind === 'key') throw new DeckhandError('SESSION_REQUIRED');
      await requireMembership(caller, request);
      return caller;
    },
    async key(request) {
      const caller = await identify(request);
      if (caller.kind !== 'key') throw new DeckhandError('UNAUTHORIZED', { message: 'Send an API key in x-api-key' });
      requireOwnWorkspace(caller, request);
      await requireMembership(caller, request);
      return caller;
    },
    async requireConfirmed(caller) {
      if (caller.kind === 'session' && (await hasSecondFactor(db, caller.userId)))
        await requireConfirmed({ db }, caller);
    },
    async caller(request, needed) {
      const caller = await identify(request);
      const candidates = await workflowsInPath(request, caller, needed);
      const allowed = candidates.filter((id) => caller.kind === 'session' || hasScope(caller, needed, id));
      if (caller.kind === 'key') {
        requireScope(caller, needed, allowed[0]);
        requireOwnWorkspace(caller, request);
      }
      await requireMembership(caller, request);
      if (needed.startsRuns === true) request.params.id = onlyOne(allowed, String(request.params.id));
      return caller;
    },
  };
}

/** @throws DeckhandError NOT_FOUND without a workflow; VALIDATION_FAILED if a slug names several. */
function onlyOne([id, ...others]: readonly string[], slug: string): string {
  if (id === undefined) throw new DeckhandError('NOT_FOUND', { message: 'No such workflow' });
  if (others.length === 0) return id;
  const message = `is needed: ${others.length + 1} workspaces have a workflow with the slug "${slug}"`;
  throw validationFailed([{ path: 'workspaceId', message }]);
}

/**
 * Checks that a key has a scope. @param workflowId the workflow whose runs the operation starts, if it starts any.
 * @throws DeckhandError INSUFFICIENT_SCOPE.
 */
export function requireScope(key: KeyCaller, needed: NeededScope, workflowId = ''): void {
  const { scope, also } = needed;
  if (hasScope(key, needed, workflowId)) {
    if (also !== undefined) requireScope(key, { scope: also });
    return;
  }
  const hint = `Use a key that has the scope ${scope}, or create one under Settings, API keys`;
  throw new DeckhandError('INSUFFICIENT_SCOPE', { extra: { required: scope, hint } });
}

/** Returns true if a key has a scope, as for `requireScope`. */
export function hasScope({ scopes }: KeyCaller, { scope, startsRuns = false }: NeededScope, workflowId = ''): boolean {
  if (scope === 'workspaces:*') return scopesAllowAll(scopes, 'workspaces');
  if (scopesAllow(scopes, scope)) return true;
  return startsRuns && executeScopes(workflowId).some((enough) => scopes.includes(enough));
}

/** Checks that a key that is bound to a workspace names no other one, anywhere in the query string. */
function requireOwnWorkspace(key: KeyCaller, request: Request): void {
  if (key.boundTo === null) return;
  const named = request.query.workspaceId;
  if (named === undefined || (typeof named === 'string' && named.toLowerCase() === key.boundTo)) return;
  throw new DeckhandError('WORKSPACE_MISMATCH');
}

/**
 * Refuses API keys at every path of the areas that are closed to them, including paths without a route and paths that
 * need no authentication: UNAUTHORIZED for an invalid key, SESSION_REQUIRED for any other.
 */
export function closeToKeys(authenticate: Authenticate): RequestHandler {
  return (request, _response, next) => {
    if (request.headers['x-api-key'] === undefined || !isClosedToKeys(request.path)) {
      next();
      return undefined;
    }
    return authenticate.session(request).then(() => next());
  };
}

/** Matches areas that are closed to keys, whatever their scopes. Express matches paths in any case. */
const CLOSED_AREA =
  /^\/api\/(api-keys|auth|admin|users|workspaces\/[^/]+\/(invites|membership|callback-secrets)|event-endpoints\/[^/]+\/secrets)(\/|$)/i;

/** Returns true for a path in an area that is closed to keys, whether it has a route or not. */
export function isClosedToKeys(path: string): boolean {
  return CLOSED_AREA.test(path);
}

/** Matches what a person who must add a second factor needs for that, and for leaving. */
const OPEN_WITHOUT_FACTOR =
  /^\/api\/auth\/(me|logout|sso\/logout|sessions(\/[^/]+)?|password|second-factors|authenticator(\/confirm)?|passkeys(\/[^/]+)?|confirm(\/options)?)\/?$/i;

function isOpenWithoutFactor({ path }: Request): boolean {
  return OPEN_WITHOUT_FACTOR.test(path);
}

/** Records when keys or sessions were last used, without a write per request. */
export interface UsageLog {
  /** Records a use. */
  note(id: string): void;
  /** Writes all recorded uses. Called at shutdown. */
  flush(): Promise<void>;
}

/** Minimum interval between two writes of the same key or session, in ms. */
const WRITE_INTERVAL_MS = 60_000;
/** How long uses are gathered before they are written, in ms. */
const GATHER_MS = 250;

/**
 * Gathers uses and writes each id at most once a minute. A failed write is only logged: the next use writes again.
 * @param now a clock in ms.
 */
export function createUsageLog(options: {
  write: (ids: readonly string[]) => Promise<void>;
  logger: Logger;
  now?: () => number;
}): UsageLog {
  const now = options.now ?? Date.now;
  const writtenAt = new Map<string, number>();
  let due = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let forgottenAt = now();

  function forget(): void {
    if (now() - forgottenAt < WRITE_INTERVAL_MS) return;
    forgottenAt = now();
    for (const [id, at] of writtenAt) if (forgottenAt - at >= WRITE_INTERVAL_MS) writtenAt.delete(id);
  }

  async function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const ids = [...due];
    due = new Set();
    if (ids.length === 0) return;
    try {
      await options.write(ids);
    } catch (error) {
      for (const id of ids) writtenAt.delete(id);
      options.logger.warn({ err: error }, 'failed to write the last use of keys or sessions');
    }
  }

  return {
    note(id) {
      const at = writtenAt.get(id);
      if (at !== undefined && now() - at < WRITE_INTERVAL_MS) return;
      forget();
      writtenAt.set(id, now());
      due.add(id);
      timer ??= setTimeout(() => void flush(), GATHER_MS).unref();
    },
    flush,
  };
}
