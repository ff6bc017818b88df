import type { ConnectionStatus, OAuth2Grant } from './schemas/oauth2.ts';

/** The encrypted tokens of a connection, and whether they can be used. Times are compared with the database's clock. */
export interface StoredConnection {
  readonly workspaceId: string;
  readonly grant: OAuth2Grant;
  readonly status: ConnectionStatus;
  /** A JWE of the tokens as JSON; null while not connected. */
  readonly sealedTokens: string | null;
  /** Whether the access token expires within a minute, or within the last quarter of a shorter lifetime. */
  readonly isDue: boolean;
  readonly isExpired: boolean;
  /** How long ago the provider issued the access token, in ms; null without one. */
  readonly ageMs: number | null;
  /** How long the provider must not be asked again after a failure, in ms; 0 if it may be asked. */
  readonly pauseMs: number;
  /** How long that pause was in all, in ms; 0 if the last attempt did not fail. */
  readonly lastPauseMs: number;
  /** The last failure; null after a success. */
  readonly error: ConnectionError | null;
  /** Whether its last use was recorded within five minutes. */
  readonly isUseRecorded: boolean;
}

/** Why a token could not be obtained. Neither member contains a secret. */
export interface ConnectionError {
  readonly code: string;
  readonly message: string;
}

/** Tokens that the provider issued. */
export interface IssuedTokens {
  /** A JWE of the tokens as JSON. */
  readonly sealedTokens: string;
  /** Null if the provider does not say. */
  readonly lifetimeMs: number | null;
  readonly scopes: readonly string[];
}

/**
 * What happens to a connection. `connected`: a person connected it; `refreshed`: a request without a person brought
 * tokens; `refused`: the provider refuses the tokens for good; `failed`: the provider could not be asked, or refused
 * the request, and may be asked again after a pause; `reset`: the credential was configured anew.
 */
export type ConnectionEvent =
  | ({ readonly kind: 'connected' } & IssuedTokens)
  | ({ readonly kind: 'refreshed' } & IssuedTokens)
  | { readonly kind: 'refused'; readonly error: ConnectionError }
  | { readonly kind: 'failed'; readonly error: ConnectionError; readonly pauseMs: number }
  | { readonly kind: 'reset' };

/**
 * Returns the status of a connection after an event, and the action that the audit log records. A refresh is not
 * recorded, and neither is a refusal that was recorded before.
 */
export function nextConnectionStatus(
  status: ConnectionStatus,
  kind: ConnectionEvent['kind'],
): { readonly status: ConnectionStatus; readonly action?: 'credential.connect' | 'credential.reconnect_needed' } {
  switch (kind) {
    case 'connected':
      return { status: 'connected', action: 'credential.connect' };
    case 'refreshed':
      return { status: 'connected' };
    case 'refused':
      return status === 'reconnect_needed'
        ? { status }
        : { status: 'reconnect_needed', action: 'credential.reconnect_needed' };
    case 'failed':
      return { status };
    case 'reset':
      return { status: 'not_connected' };
  }
}

/** Whether a client gets tokens by its own right, without a person who connects it. */
export function needsNoPerson(grant: OAuth2Grant): boolean {
  return grant === 'clientCredentials' || grant === 'jwtBearer';
}
