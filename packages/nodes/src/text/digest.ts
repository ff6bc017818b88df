import Type from 'typebox';
import type { Steps, Work } from '../work/slices.ts';

/** Number of bytes that are digested in one step. */
const STEP_BYTES = 262_144;

/** The algorithms. md5 and sha1 only identify: they prove nothing. */
export const AlgorithmParameter = Type.Optional(
  Type.Enum(['sha256', 'sha384', 'sha512', 'sha1', 'md5'], { default: 'sha256', description: 'How it is made' }),
);

/** The encoding of a digest. */
export const EncodingParameter = Type.Optional(
  Type.Enum(['hex', 'base64', 'base64url'], { default: 'hex', description: 'How it is written' }),
);

/** The data of a digest, and its encoding. */
export const dataParameters = {
  data: Type.String({ description: 'What it is made of' }),
  dataEncoding: Type.Optional(
    Type.Enum(['utf8', 'base64', 'hex'], { default: 'utf8', description: 'How `data` is written' }),
  ),
};

/** Digests data in steps. @returns the digest that was passed in. */
export function* digestInSteps<T extends { update(bytes: Uint8Array): unknown }>(
  digest: T,
  { data, encoding, work }: { data: string; encoding: BufferEncoding; work: Work },
): Steps<T> {
  // Texts are converted to bytes in steps, too; base64 may have line breaks anywhere.
  const bytes = encoding === 'utf8' ? undefined : Buffer.from(data, encoding);
  const end = bytes?.length ?? data.length;
  for (let at = 0; at < end;) {
    const next = bytes ? at + STEP_BYTES : endOfCharacter(data, at + STEP_BYTES);
    digest.update(bytes ? bytes.subarray(at, next) : Buffer.from(data.slice(at, next)));
    // About 40 bytes per unit, for the slowest algorithm.
    if (work.spend((next - at) / 40)) yield;
    at = next;
  }
  return digest;
}

/** Returns the given position in a text, or the next one if it is in the middle of a surrogate pair. */
function endOfCharacter(text: string, at: number): number {
  return (text.charCodeAt(at - 1) & 0xfc00) === 0xd800 ? at + 1 : at;
}
