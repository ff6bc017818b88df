import bcrypt from 'bcrypt';
import { type Fault, validationFailed } from '@deckhand/contracts';

const ROUNDS = 12;
/** bcrypt reads no further. */
const BYTES_MAX = 72;
const BYTES_MIN = 10;

/** A hash of nothing that anybody knows: compared with when there is no user, so that this takes as long. */
const NOBODY = '$2b$12$3TJK1lfoSdkfmUCdJnc58O5Fy6a765F8klDYX3JGi02XsmU0Ontre';

/** Faults of a password that is to be set: 10 to 72 bytes in UTF-8. */
export function passwordFaults(password: string, path: string): Fault[] {
  const bytes = Buffer.byteLength(password);
  if (bytes >= BYTES_MIN && bytes <= BYTES_MAX) return [];
  return [{ path, message: `must have ${BYTES_MIN} to ${BYTES_MAX} bytes, not ${bytes}` }];
}

/** Hashes a password. @throws DeckhandError VALIDATION_FAILED when it is too short or too long. */
export async function hashPassword(password: string): Promise<string> {
  const faults = passwordFaults(password, 'password');
  if (faults.length > 0) throw validationFailed(faults);
  return bcrypt.hash(password, ROUNDS);
}

/**
 * True when the password is the one that was hashed. Takes the same time for somebody who does not exist (undefined).
 */
export async function isPassword(password: string, hash: string | undefined): Promise<boolean> {
  const isSame = await bcrypt.compare(password, hash ?? NOBODY);
  // bcrypt compares the first 72 bytes only, and no password is longer.
  return isSame && hash !== undefined && Buffer.byteLength(password) <= BYTES_MAX;
}
