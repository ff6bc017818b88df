import Type from 'typebox';
import type { Steps, Work } from '../work/slices.js';

/** Bytes that are digested in one step. */
const STEP_BYTES = 262_144;

/** What a digest is made by. md5 and sha1 only identify: they prove nothing. */
export const AlgorithmParameter = Type.Optional(
  Type.Enum(['sha256', 'sha384', 'sha512', 'sha1', 'md5'], { default: 'sha256', description: 'How it is made' }),
);

/** How a digest is written. */
export const EncodingParameter = Type.Optional(
  Type.Enum(['hex', 'base64', 'base64url'], { default: 'hex', description: 'How it is written' }),
);

/** What a digest is made of, and how that is written. */
export const dataParameters = {
  data: Type.String({ description: 'What it is made of' }),
  dataEncoding: Type.Optional(
    Type.Enum(['utf8', 'base64', 'hex'], { default: 'utf8', description: 'How `data` is written' }),
  ),
};

/** Digests data step by step. @returns the digest that it was given. */
export function* digestInSteps<T extends { update(bytes: Uint8Array): unknown }>(
  digest: T,
  { data, encoding, work }: { data: string; encoding: BufferEncoding; work: Work },
): Steps<T> {
  // Texts are turned into bytes step by step, too; base64 may have line breaks anywhere.
  const bytes = encoding === 'utf8' ? undefined : Buffer.from(data, encoding);
  const end = bytes?.length ?? data.length;
  for (let at = 0; at < end;) {
    const next = bytes ? at + STEP_BYTES : endOfCharacter(data, at + STEP_BYTES);
    digest.update(bytes ? bytes.subarray(at, next) : Buffer.from(data.slice(at, next)));
    // Some 40 bytes a unit, by the slowest algorithm.
    if (work.spend((next - at) / 40)) yield;
    at = next;
  }
  return digest;
}

/** The given place in a text, or the next where it is in the middle of a pair of surrogates. */
function endOfCharacter(text: string, at: number): number {
  return (text.charCodeAt(at - 1) & 0xfc00) === 0xd800 ? at + 1 : at;
}
