/** The part of the library that is used. */
declare module 'bcrypt-pbkdf' {
  /** Fills `out`, of 32 bytes, with the hash of SHA-512 digests of a password and a salt. */
  export function hash(sha2pass: Uint8Array, sha2salt: Uint8Array, out: Uint8Array): void;
}
