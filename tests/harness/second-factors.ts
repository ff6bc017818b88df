import { Secret, TOTP } from 'otpauth';

/** Returns the code that an authenticator app shows. @param at a time in ms. */
export function codeOf(secret: string, at = Date.now()): string {
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: at });
}
