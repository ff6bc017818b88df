import { describe, expect, it } from '@jest/globals';
import { nextConnectionStatus } from './oauth2-connection.ts';
import { secretIssues, secretTexts } from './schemas/credentials.ts';

const CONNECT = 'credential.connect';
const NEEDED = 'credential.reconnect_needed';

it.each([
  ['not_connected', 'connected', 'connected', CONNECT],
  ['not_connected', 'refreshed', 'connected', undefined],
  ['not_connected', 'refused', 'reconnect_needed', NEEDED],
  ['not_connected', 'failed', 'not_connected', undefined],
  ['not_connected', 'reset', 'not_connected', undefined],
  ['connected', 'connected', 'connected', CONNECT],
  ['connected', 'refreshed', 'connected', undefined],
  ['connected', 'refused', 'reconnect_needed', NEEDED],
  ['connected', 'failed', 'connected', undefined],
  ['connected', 'reset', 'not_connected', undefined],
  ['reconnect_needed', 'connected', 'connected', CONNECT],
  ['reconnect_needed', 'refreshed', 'connected', undefined],
  ['reconnect_needed', 'refused', 'reconnect_needed', undefined],
  ['reconnect_needed', 'failed', 'reconnect_needed', undefined],
  ['reconnect_needed', 'reset', 'not_connected', undefined],
] as const)(
  'a connection that is %s, after the event %s, is %s, and the audit log has %s',
  (before, event, status, action) => {
    expect(nextConnectionStatus(before, event)).toEqual({ status, ...(action && { action }) });
  },
);

const CODE = {
  grant: 'authorizationCode',
  clientId: 'client',
  authorizationUrl: 'https://login.example/authorize',
  tokenUrl: 'https://login.example/token',
};

describe('the configuration of an OAuth 2.0 credential', () => {
  it.each([
    [CODE],
    [{ ...CODE, clientSecret: 'secret', scopes: 'read write', extraParameters: { access_type: 'offline' } }],
    [{ ...CODE, tokenUrl: 'http://127.0.0.1:4000/token', authorizationUrl: 'http://localhost:4000/authorize' }],
    [{ grant: 'clientCredentials', clientId: 'c', clientSecret: 's', tokenUrl: 'https://login.example/token' }],
    [{ grant: 'jwtBearer', clientId: 'c', privateKey: 'k', keyId: '1', tokenUrl: 'https://login.example/token' }],
  ])('may be %j', (secret) => {
    expect(secretIssues('oauth2', secret)).toEqual([]);
  });

  it.each([
    [{ ...CODE, authorizationUrl: undefined }, 'secret.authorizationUrl', 'is required'],
    [{ ...CODE, tokenUrl: 'http://login.example/token' }, 'secret.tokenUrl', 'must be an https address'],
    [{ ...CODE, tokenUrl: 'https://user:pass@login.example/' }, 'secret.tokenUrl', 'must not contain credentials'],
    [{ ...CODE, privateKey: 'k' }, 'secret.privateKey', 'is not used with the grant authorizationCode'],
    [{ ...CODE, extraParameters: { State: 'x' } }, 'secret.extraParameters.State', 'is set by the protocol'],
    [{ ...CODE, clientAuthentication: 'post' }, 'secret.clientAuthentication', 'needs a clientSecret'],
    [
      { grant: 'clientCredentials', clientId: 'c', tokenUrl: 'https://a.example' },
      'secret.clientSecret',
      'is required',
    ],
  ])('may not be %j', (secret, path, message) => {
    expect(secretIssues('oauth2', JSON.parse(JSON.stringify(secret)))).toEqual([{ path, message }]);
  });

  it('has texts that are masked', () => {
    const secret = { ...CODE, grant: 'authorizationCode' as const, clientSecret: 'secret' };
    expect(secretTexts({ type: 'oauth2', secret })).toEqual(['secret', '']);
  });
});
