import { type Credential, toCredential } from '@deckhand/contracts';
import { type Database, type CredentialUser, readSealedCredential } from '@deckhand/db';
import { type Logger, type SecretBox, SecretBoxError } from '@deckhand/runtime';

/** Reads a credential for a version's trigger; undefined when it is gone, not for that version, or cannot be opened. */
export type CredentialReader = (version: CredentialUser, id: string) => Promise<Credential | undefined>;

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
  return async (version, id) => {
    const sealed = await readSealedCredential(db, version, id);
    if (!sealed) return undefined;
    if (sealed.refusal !== null) {
      const { refusal } = sealed;
      logger.warn({ refusal, credentialId: id, ...version }, 'a webhook lets nobody in: it may not use its credential');
      return undefined;
    }
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
