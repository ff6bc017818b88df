import {
  type PasskeyAssertion,
  type PasskeyCreation,
  type PasskeyRegistration,
  type PasskeyRequest,
} from '@deckhand/contracts';
import type { KeptPasskey, NewPasskey } from '@deckhand/db';

/** A passkey of a person, and how to reach its authenticator. */
interface KnownPasskey {
  readonly id: string;
  readonly transports: string[];
}

/** Passkeys by WebAuthn, for the host and the origin of the service's address. */
export interface Passkeys {
  /** Returns the options with which a browser creates one. It is resident, so that it can sign in without a name. */
  creation(person: {
    readonly userId: string;
    readonly email: string;
    readonly name: string;
    readonly known: readonly KnownPasskey[];
  }): Promise<PasskeyCreation>;
  /** Verifies a new one. @returns undefined for another challenge, origin or host, and for what is damaged. */
  verifyNew(given: PasskeyRegistration, challenge: string): Promise<Omit<NewPasskey, 'name'> | undefined>;
  /** Returns the options with which a browser uses one. @param known the person's; undefined for anybody's. */
  request(known: readonly KnownPasskey[] | undefined): Promise<PasskeyRequest>;
  /**
   * Verifies a signature. @param isAlone whether no password was given: the authenticator must then have verified the
   * person. @returns the new counter; undefined if the signature does not prove the passkey.
   */
  verify(
    given: PasskeyAssertion,
    expected: { readonly challenge: string; readonly passkey: KeptPasskey; readonly isAlone: boolean },
  ): Promise<number | undefined>;
}

/** Creates it. @param publicUrl the address of the service, without a slash at the end. */
export function createPasskeys(publicUrl: string): Passkeys {
  const { hostname: rpID, origin } = new URL(publicUrl);
  return {
    async creation({ userId, email, name, known }) {
      const { generateRegistrationOptions } = await library();
      const options = await generateRegistrationOptions({
        ...{ rpName: 'Deckhand', rpID, userName: email, userDisplayName: name },
        userID: new TextEncoder().encode(userId),
        attestationType: 'none',
        excludeCredentials: [...known],
        authenticatorSelection: { residentKey: 'required', userVerification: 'preferred' },
      });
      const { rp, user, challenge, pubKeyCredParams, timeout, excludeCredentials } = options;
      return {
        ...{ rp, user, challenge, pubKeyCredParams, attestation: 'none' },
        ...{ timeout, excludeCredentials },
        authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'preferred' },
      };
    },
    async verifyNew(given, challenge) {
      const { verifyRegistrationResponse } = await library();
      // The library would verify any other statement, and fetch lists of revoked certificates from addresses in it.
      if (!(await statesNothing(given.response.attestationObject))) return undefined;
      const result = await undefinedIfRefused(
        verifyRegistrationResponse({
          ...{ response: given, expectedChallenge: challenge, expectedOrigin: origin, expectedRPID: rpID },
          requireUserVerification: false,
        }),
      );
      if (result?.verified !== true) return undefined;
      const { id, publicKey, counter } = result.registrationInfo.credential;
      return { credentialId: id, publicKey, counter, transports: given.response.transports ?? [] };
    },
    async request(known) {
      const { generateAuthenticationOptions } = await library();
      return generateAuthenticationOptions({
        rpID,
        ...(known && { allowCredentials: [...known] }),
        userVerification: known ? 'preferred' : 'required',
      });
    },
    async verify(given, { challenge, passkey, isAlone }) {
      const { verifyAuthenticationResponse } = await library();
      const { credentialId: id, publicKey, counter } = passkey;
      const result = await undefinedIfRefused(
        verifyAuthenticationResponse({
          ...{ response: given, expectedChallenge: challenge, expectedOrigin: origin, expectedRPID: rpID },
          credential: { id, publicKey, counter },
          requireUserVerification: isAlone,
        }),
      );
      return result?.verified === true ? result.authenticationInfo.newCounter : undefined;
    },
  };
}

/**
 * Whether an attestation object says nothing of its authenticator by certificates: the format `none`, or `packed`
 * signed by the passkey itself, which browsers pass on although `none` was asked for (WebAuthn Level 3, section 5.1.3).
 */
async function statesNothing(attestationObject: string): Promise<boolean> {
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers');
  try {
    const statement = decodeAttestationObject(new Uint8Array(Buffer.from(attestationObject, 'base64url')));
    const format = statement.get('fmt');
    return format === 'none' || (format === 'packed' && statement.get('attStmt').get('x5c') === undefined);
  } catch {
    return false;
  }
}

/** Loaded when somebody uses a passkey. */
function library() {
  return import('@simplewebauthn/server');
}

/** The library throws for whatever is wrong with what the caller sent. */
async function undefinedIfRefused<T>(verification: Promise<T>): Promise<T | undefined> {
  return verification.catch(() => undefined);
}
