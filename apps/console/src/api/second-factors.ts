import type {
  AddedPasskey,
  AddPasskeyBody,
  ConfirmationOptions,
  ConfirmBody,
  RecoveryCodes,
  SecondFactors,
  StartedAuthenticator,
  StartedPasskey,
} from '@deckhand/contracts';
import { queryOptions } from '@tanstack/react-query';
import { call } from './call.ts';

/** The person's second factors, and whether there is a password. */
export const secondFactorsQuery = queryOptions({
  queryKey: ['second-factors'],
  queryFn: ({ signal }) => call<SecondFactors>('GET', '/api/auth/second-factors', { signal }),
});

export const startAuthenticator = (): Promise<StartedAuthenticator> => call('POST', '/api/auth/authenticator');
export const confirmAuthenticator = (code: string): Promise<RecoveryCodes> =>
  call('POST', '/api/auth/authenticator/confirm', { body: { code } });
export const removeAuthenticator = (): Promise<null> => call('DELETE', '/api/auth/authenticator');
export const startPasskey = (): Promise<StartedPasskey> => call('POST', '/api/auth/passkeys/options');
export const addPasskey = (body: AddPasskeyBody): Promise<AddedPasskey> => call('POST', '/api/auth/passkeys', { body });
export const removePasskey = (id: string): Promise<null> => call('DELETE', `/api/auth/passkeys/${id}`);
export const replaceRecoveryCodes = (): Promise<RecoveryCodes> => call('POST', '/api/auth/recovery-codes');
export const startConfirmation = (): Promise<ConfirmationOptions> => call('POST', '/api/auth/confirm/options');
export const confirmIdentity = (body: ConfirmBody): Promise<null> => call('POST', '/api/auth/confirm', { body });
