import {
  type ConnectorChoice,
  type ConnectorChoices,
  DeckhandError,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type ListChoicesBody,
  MAX_CHOICES_CURSOR,
  parseOwnJson,
  validationFailed,
} from '@deckhand/contracts';
import { type Database, readCredentialToTry, recordTrial } from '@deckhand/db';
import type { Connectors } from '@deckhand/engine';
import { type CheckContext, listChoices as list, type PagePosition } from '@deckhand/nodes';
import { type SecretBox, SecretBoxError } from '@deckhand/runtime';
import { createHash } from 'node:crypto';
import type { Authenticate } from '../auth/authenticate.ts';
import type { Caller } from '../auth/caller.ts';
import type { TryCredential } from '../credentials/try-credential.ts';

/** What listing choices needs. */
export interface ChoiceParts {
  readonly db: Database;
  readonly secretBox: SecretBox;
  readonly tryCredential: TryCredential;
  readonly authenticate: Pick<Authenticate, 'requireConfirmed'>;
}

/**
 * Lists choices of a field of an operation, with a credential that the caller may use. Its use with a connector of the
 * workspace is confirmed and recorded first: members of the workspace chose where that sends it.
 * @param gone aborts once the caller has left.
 * @throws DeckhandError as `readCredentialToTry` does; VALIDATION_FAILED; CONFIRMATION_REQUIRED; RATE_LIMITED;
 * CONNECTOR_FAILED with what the service said.
 */
export async function listChoices(
  { db, secretBox, tryCredential, authenticate }: ChoiceParts,
  caller: Caller,
  body: ListChoicesBody,
  gone: AbortSignal,
): Promise<ConnectorChoices> {
  const { connector, version, operation, field, credentialId, workflowId, values = {}, search = '', cursor } = body;
  const credential = await readCredentialToTry(db, caller, credentialId.toLowerCase(), workflowId?.toLowerCase());
  if (credential.workspaceId !== body.workspaceId.toLowerCase())
    throw refused('credentialId', 'is not of this workspace');
  const place = digestOf([credential.id, connector, version, operation, field, values]);
  const from = cursor === undefined ? undefined : await openCursor(secretBox, cursor, place);
  const request = { operation: { connector, version, operation }, field, values, search, from };
  let next: PagePosition | undefined;
  const permit = async (): Promise<void> => {
    await authenticate.requireConfirmed(caller);
    const details = { connector, version, field };
    await recordTrial(db, caller, credential, { action: 'credential.list_choices', details });
  };
  const work = async (context: CheckContext): Promise<JsonValue> => {
    const connectors = withPermit(context.services.connectors, permit);
    const found = await list(request, { ...context, services: { ...context.services, connectors } });
    if ('issues' in found) throw validationFailed(found.issues);
    ({ next } = found);
    return found.choices.map(({ value, label }) => ({ value, label }));
  };
  const outcome = await tryCredential(credential, work, gone);
  if (outcome.kind === 'failure') {
    const { code, message } = outcome.failure;
    throw new DeckhandError('CONNECTOR_FAILED', { message: message ?? '', details: { code } });
  }
  return { data: toData(outcome.output), next: next ? await sealCursor(secretBox, next, place) : null };
}

/** Finds operations that are built in, and those of a workspace once they are permitted: that is asked once. */
function withPermit(connectors: Connectors, permit: () => Promise<void>): Connectors {
  let permitted: Promise<void> | undefined;
  return {
    async find(workspaceId, name) {
      const found = await connectors.find(workspaceId, name);
      if (found && !found.isBuiltIn) await (permitted ??= permit());
      return found;
    },
  };
}

function toData(output: JsonValue): ConnectorChoice[] {
  const items: readonly JsonValue[] = Array.isArray(output) ? output : [];
  return items.flatMap((item) => {
    const { value, label } = isJsonObject(item) ? item : {};
    const isChoice = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
    return isChoice && typeof label === 'string' ? [{ value, label }] : [];
  });
}

/**
 * Encrypts a cursor: its address comes from the service, may contain a secret, and must not be chosen by a caller.
 * @returns null for an address that is too long for a request: the choices end there.
 */
async function sealCursor(secretBox: SecretBox, { url, count }: PagePosition, place: string): Promise<string | null> {
  const sealed = await secretBox.seal(JSON.stringify({ url: url.href, count, place }));
  return sealed.length > MAX_CHOICES_CURSOR ? null : sealed;
}

/** @throws DeckhandError VALIDATION_FAILED for a text that is not the cursor of these choices. */
async function openCursor(secretBox: SecretBox, cursor: string, place: string): Promise<PagePosition> {
  const opened = await secretBox.open(cursor).catch((error: unknown) => {
    if (error instanceof SecretBoxError) throw refused('cursor', 'is not that of a response');
    throw error;
  });
  const { url, count, place: ofPlace } = parseOwnJson<JsonObject>(opened);
  if (ofPlace !== place || typeof url !== 'string' || typeof count !== 'number')
    throw refused('cursor', 'is that of other choices');
  return { url: new URL(url), count };
}

function digestOf(place: readonly JsonValue[]): string {
  return createHash('sha256').update(JSON.stringify(place)).digest('base64url');
}

function refused(path: string, message: string): DeckhandError {
  return validationFailed([{ path, message }]);
}
