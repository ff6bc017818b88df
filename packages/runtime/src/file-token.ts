import type { SecretBox } from './secret-box.ts';
import { createSignedTokens } from './signed-token.ts';

/** A file of a run that may be downloaded without a key. */
export interface LinkedFile {
  readonly executionId: string;
  readonly fileId: string;
  readonly expiresAt: Date;
  /** The name of the download; may be empty. */
  readonly name: string;
}

/** Signs the tokens of links to files. */
export interface FileTokens {
  sign(file: LinkedFile): string;
  /** Returns the file of a token, which may have expired; undefined for a text that this instance did not sign. */
  verify(token: string): LinkedFile | undefined;
}

/** Matches `run:file:ms:name`. */
const TEXT = /^([0-9a-f-]{36}):([0-9a-f-]{36}):(\d{1,15}):(.*)$/s;

/** Creates the signer of links to files. */
export function createFileTokens(secretBox: SecretBox): FileTokens {
  const tokens = createSignedTokens(secretBox, 'deckhand file link v1');
  return {
    sign: ({ executionId, fileId, expiresAt, name }) =>
      tokens.sign(`${executionId}:${fileId}:${expiresAt.getTime()}:${name}`),
    verify(token) {
      const [, executionId, fileId, ms, name] = TEXT.exec(tokens.verify(token) ?? '') ?? [];
      if (executionId === undefined || fileId === undefined || name === undefined) return undefined;
      return { executionId, fileId, expiresAt: new Date(Number(ms)), name };
    },
  };
}
