import type { PasskeyAssertion, PasskeyCreation, PasskeyRegistration, PasskeyRequest } from '@deckhand/contracts';

/** Has the browser create a passkey. @throws Error if the person cancels, or the browser or the device has none. */
export async function createPasskey(options: PasskeyCreation): Promise<PasskeyRegistration> {
  const { startRegistration } = await import('@simplewebauthn/browser');
  const { id, rawId, response } = await startRegistration({ optionsJSON: options });
  const { clientDataJSON, attestationObject, transports } = response;
  return {
    ...{ id, rawId, type: 'public-key', clientExtensionResults: {} },
    response: { clientDataJSON, attestationObject, ...(transports && { transports }) },
  };
}

/** Has the browser use a passkey. @throws Error if the person cancels, or there is none. */
export async function getPasskey(request: PasskeyRequest): Promise<PasskeyAssertion> {
  const { startAuthentication } = await import('@simplewebauthn/browser');
  const { id, rawId, response } = await startAuthentication({ optionsJSON: request });
  const { clientDataJSON, authenticatorData, signature } = response;
  return {
    ...{ id, rawId, type: 'public-key', clientExtensionResults: {} },
    response: { clientDataJSON, authenticatorData, signature },
  };
}
