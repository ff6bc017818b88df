import { type Credential, toCredential } from '@deckhand/contracts';
import { type Database, readSealedCredential } from '@deckhand/db';
import { type Logger, type SecretBox, SecretBoxError } from '@deckhand/runtime';

/** Reads a credential of a workspace; undefined when it is gone or cannot be opened. */
export type CredentialReader = (workspaceId: string, id: string) => Promise<Credential | undefined>;

/** Opened secrets that are remembered, by their envelopes. */
const OPENED_MAX = 1_000;

/**
 * Reads credentials anew for every request, so that one which is replaced or deleted counts from then on. Only what an
 * envelope holds is remembered: another secret is another envelope.
 */
export function createCredentialReader(options: {
  db: Database;
  secretBox: SecretBox;
  logger: Logger;
}): CredentialReader {
  const { db, secretBox, logger } = options;
  const opened = new Map<string, Credential>();
  return async (workspaceId, id) => {
    const sealed = await readSealedCredential(db, workspaceId, id);
    if (!sealed) return undefined;
    const known = opened.get(sealed.sealedSecret);
    if (known) return known;
    try {
      const credential = toCredential(sealed.type, JSON.parse(await secretBox.open(sealed.sealedSecret)));
      if (!credential) return undefined;
      if (opened.size >= OPENED_MAX) opened.clear();
      opened.set(sealed.sealedSecret, credential);
      return credential;
    } catch (err) {
      if (!(err instanceof SecretBoxError)) throw err;
      logger.warn({ err, credentialId: id }, 'a webhook lets nobody in: its credential cannot be opened');
      return undefined;
    }
  };
}
