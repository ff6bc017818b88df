import Type, { type Static } from 'typebox';
import { LoginResponse, Name } from './auth.ts';
import type { FinishedSignOn } from './single-sign-on.ts';
import { CLOSED, Id, nullable, oneOf, Time } from './common.ts';

/** Bytes in base64url, as WebAuthn has them in JSON. */
const Bytes = Type.String({ pattern: '^[A-Za-z0-9_-]*$', maxLength: 8_192 });
const BrowserText = Type.String({ maxLength: 100 });
const Extensions = Type.Object({}, { description: 'As the browser gives them; not used' });

/** The state of a request in two steps. */
const State = Type.String({ pattern: '^[A-Za-z0-9_-]{43}$', description: 'From the first step; works once' });

/** Whether authenticators check who uses them. */
const Verification = oneOf(['required', 'preferred', 'discouraged']);
const Transports = Type.Optional(Type.Array(Type.String()));
const Credential = Type.Object({ id: Type.String(), type: Type.String(), transports: Transports });

/** PublicKeyCredentialRequestOptionsJSON of WebAuthn. */
export const PasskeyRequest = Type.Object(
  {
    challenge: Type.String(),
    timeout: Type.Optional(Type.Number()),
    rpId: Type.Optional(Type.String()),
    allowCredentials: Type.Optional(Type.Array(Credential)),
    userVerification: Type.Optional(Verification),
  },
  { description: 'Options of `navigator.credentials.get`, as PublicKeyCredentialRequestOptionsJSON of WebAuthn' },
);

/** PublicKeyCredentialCreationOptionsJSON of WebAuthn. */
export const PasskeyCreation = Type.Object(
  {
    rp: Type.Object({ name: Type.String(), id: Type.Optional(Type.String()) }),
    user: Type.Object({ id: Type.String(), name: Type.String(), displayName: Type.String() }),
    challenge: Type.String(),
    pubKeyCredParams: Type.Array(Type.Object({ alg: Type.Number(), type: oneOf(['public-key']) })),
    timeout: Type.Optional(Type.Number()),
    excludeCredentials: Type.Optional(Type.Array(Credential)),
    authenticatorSelection: Type.Optional(
      Type.Object({
        residentKey: Type.Optional(Verification),
        requireResidentKey: Type.Optional(Type.Boolean()),
        userVerification: Type.Optional(Verification),
      }),
    ),
    attestation: Type.Optional(oneOf(['none', 'indirect', 'direct', 'enterprise'])),
  },
  { description: 'Options of `navigator.credentials.create`, as PublicKeyCredentialCreationOptionsJSON of WebAuthn' },
);

/** AuthenticationResponseJSON of WebAuthn. */
export const PasskeyAssertion = Type.Object(
  {
    id: Bytes,
    rawId: Bytes,
    response: Type.Object(
      {
        clientDataJSON: Bytes,
        authenticatorData: Bytes,
        signature: Bytes,
        userHandle: Type.Optional(Bytes),
      },
      CLOSED,
    ),
    authenticatorAttachment: Type.Optional(oneOf(['platform', 'cross-platform'])),
    clientExtensionResults: Extensions,
    type: oneOf(['public-key']),
  },
  { ...CLOSED, description: 'AuthenticationResponseJSON of WebAuthn' },
);

/** RegistrationResponseJSON of WebAuthn. */
export const PasskeyRegistration = Type.Object(
  {
    id: Bytes,
    rawId: Bytes,
    response: Type.Object(
      {
        clientDataJSON: Bytes,
        attestationObject: Bytes,
        authenticatorData: Type.Optional(Bytes),
        transports: Type.Optional(Type.Array(BrowserText, { maxItems: 20 })),
        publicKeyAlgorithm: Type.Optional(Type.Number()),
        publicKey: Type.Optional(Bytes),
      },
      CLOSED,
    ),
    authenticatorAttachment: Type.Optional(oneOf(['platform', 'cross-platform'])),
    clientExtensionResults: Extensions,
    type: oneOf(['public-key']),
  },
  { ...CLOSED, description: 'RegistrationResponseJSON of WebAuthn' },
);

/** What proves a second factor: one of them. */
const PROOF = {
  code: Type.Optional(Type.String({ maxLength: 20, description: 'Of the authenticator app: six digits' })),
  recoveryCode: Type.Optional(Type.String({ maxLength: 100, description: 'Works once' })),
  passkey: Type.Optional(PasskeyAssertion),
};

/** A sign-in that needs a second factor, in the same browser. */
export const PendingSignIn = Type.Object({
  state: Type.String({ description: 'For the second step; it gives no access' }),
  expiresAt: Time,
  methods: Type.Array(oneOf(['code', 'recoveryCode', 'passkey']), { description: 'What the person has' }),
  passkeyRequest: nullable(PasskeyRequest),
});

/** Body of POST /api/auth/login/second-factor. */
export const FinishSignInBody = Type.Object({ state: State, ...PROOF }, CLOSED);

/** Answer of POST /api/auth/sso/finish that needs a second factor. */
export const PendingSignOn = Type.Object({ ...PendingSignIn.properties, next: nullable(Type.String()) });

/** Answer of GET /api/auth/second-factors. */
export const SecondFactors = Type.Object({
  hasPassword: Type.Boolean({ description: 'False for a person who only signs in by single sign-on' }),
  isRequired: Type.Boolean({ description: 'Whether the person must add one before anything else' }),
  authenticator: nullable(
    Type.Object({ createdAt: Time, lastUsedAt: nullable(Time) }, { description: 'An app that shows codes' }),
  ),
  passkeys: Type.Array(Type.Object({ id: Id, name: Type.String(), createdAt: Time, lastUsedAt: nullable(Time) })),
  recoveryCodesLeft: Type.Integer(),
});

/** Answer of POST /api/auth/authenticator. */
export const StartedAuthenticator = Type.Object({
  secret: Type.String({ description: 'In base32, for apps that read no QR code' }),
  uri: Type.String({ description: 'otpauth://…, for a QR code' }),
});

/** Body of POST /api/auth/authenticator/confirm. */
export const ConfirmAuthenticatorBody = Type.Object(
  { code: Type.String({ maxLength: 20, description: 'Six digits of the app' }) },
  CLOSED,
);

/** Codes that replace a second factor, each once. */
export const RecoveryCodes = Type.Object({
  recoveryCodes: nullable(Type.Array(Type.String()), {
    description: 'Shown this once; null if the person has codes already',
  }),
});

/** Answer of POST /api/auth/passkeys/options. */
export const StartedPasskey = Type.Object({ state: Type.String(), options: PasskeyCreation });

/** Body of POST /api/auth/passkeys. */
export const AddPasskeyBody = Type.Object({ state: State, name: Name, passkey: PasskeyRegistration }, CLOSED);

/** Answer of POST /api/auth/passkeys. */
export const AddedPasskey = Type.Object({ id: Id, ...RecoveryCodes.properties });

/** Answer of POST /api/auth/confirm/options. */
export const ConfirmationOptions = Type.Object({
  methods: Type.Array(oneOf(['password', 'code', 'recoveryCode', 'passkey']), {
    description: 'What the person can confirm by; none means by a new single sign-on',
  }),
  state: nullable(Type.String(), { description: 'For a passkey' }),
  passkeyRequest: nullable(PasskeyRequest),
});

/** Body of POST /api/auth/confirm: one of a password and a second factor. */
export const ConfirmBody = Type.Object(
  { state: Type.Optional(State), password: Type.Optional(Type.String({ maxLength: 1_000 })), ...PROOF },
  CLOSED,
);

/** Answer of a sign-in: a session, or the next step. */
export const SignInResponse = Type.Union([LoginResponse, PendingSignIn]);

export type PasskeyRequest = Static<typeof PasskeyRequest>;
export type PasskeyCreation = Static<typeof PasskeyCreation>;
export type PasskeyAssertion = Static<typeof PasskeyAssertion>;
export type PasskeyRegistration = Static<typeof PasskeyRegistration>;
export type PendingSignIn = Static<typeof PendingSignIn>;
export type PendingSignOn = Static<typeof PendingSignOn>;
/** A single sign-on that opened a session, or its next step. */
export type SignOnResponse = FinishedSignOn | PendingSignOn;
export type SignInResponse = Static<typeof SignInResponse>;
export type FinishSignInBody = Static<typeof FinishSignInBody>;
export type SecondFactors = Static<typeof SecondFactors>;
export type StartedAuthenticator = Static<typeof StartedAuthenticator>;
export type RecoveryCodes = Static<typeof RecoveryCodes>;
export type StartedPasskey = Static<typeof StartedPasskey>;
export type AddPasskeyBody = Static<typeof AddPasskeyBody>;
export type AddedPasskey = Static<typeof AddedPasskey>;
export type ConfirmationOptions = Static<typeof ConfirmationOptions>;
export type ConfirmBody = Static<typeof ConfirmBody>;
