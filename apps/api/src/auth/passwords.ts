import bcrypt from 'bcrypt';
import { type ValidationIssue, validationFailed } from '@deckhand/contracts';

/** bcrypt ignores further bytes. */
const MAX_BYTES = 72;
const MIN_BYTES = 10;

/** Salt and hash of an unknown password. Compared if there is no such user, so that the time does not reveal it. */
const NOBODY = '3TJK1lfoSdkfmUCdJnc58O5Fy6a765F8klDYX3JGi02XsmU0Ontre';

/** Hashes passwords and compares them, by bcrypt. */
export interface Passwords {
  /** Hashes a password. @throws DeckhandError VALIDATION_FAILED if it is too short or too long. */
  hash(password: string): Promise<string>;
  /**
   * Returns true if the password is the one that was hashed. Takes the same time for a user who does not exist
   * (undefined).
   */
  isSame(password: string, hash: string | undefined): Promise<boolean>;
}

/** Returns the problems of a new password, which must have 10 to 72 bytes in UTF-8. */
export function passwordIssues(password: string, path: string): ValidationIssue[] {
  const bytes = Buffer.byteLength(password);
  if (bytes >= MIN_BYTES && bytes <= MAX_BYTES) return [];
  return [{ path, message: `must have ${MIN_BYTES} to ${MAX_BYTES} bytes, not ${bytes}` }];
}

/** @param rounds bcrypt's cost: a hash takes 2^rounds steps. Hashes of another cost can still be compared. */
export function createPasswords(rounds: number): Passwords {
  const nobody = `$2b$${String(rounds).padStart(2, '0')}$${NOBODY}`;
  return {
    async hash(password) {
      const issues = passwordIssues(password, 'password');
      if (issues.length > 0) throw validationFailed(issues);
      return bcrypt.hash(password, rounds);
    },
    async isSame(password, hash) {
      const isSame = await bcrypt.compare(password, hash ?? nobody);
      // bcrypt compares the first 72 bytes only, and no password is longer.
      return isSame && hash !== undefined && Buffer.byteLength(password) <= MAX_BYTES;
    },
  };
}
