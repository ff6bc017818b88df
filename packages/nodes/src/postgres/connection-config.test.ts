import { describe, expect, it } from '@jest/globals';
import { ANY_ADDRESS } from '../network/addresses.ts';
import { connectionTarget } from './connection-config.ts';

const PUBLIC = '8.8.8.8';
const PRIVATE = '10.1.2.3';

const tlsOf = async (host: string, query: string) =>
  (await connectionTarget(`postgres://u:p@${host}/db${query}`, ANY_ADDRESS)).tls;

describe('a connection outside private networks', () => {
  it('speaks TLS and checks the certificate, unless the credential asks for less', async () => {
    expect(await tlsOf(PUBLIC, '')).toEqual({ host: PUBLIC });
    expect(await tlsOf(PUBLIC, '?sslmode=no-verify')).toEqual({ host: PUBLIC, rejectUnauthorized: false });
    expect(await tlsOf(PUBLIC, '?ssl=true')).toEqual({ host: PUBLIC });
  });

  it.each(['?sslmode=disable', '?ssl=false'])('cannot do without: %s', async (query) => {
    await expect(tlsOf(PUBLIC, query)).rejects.toMatchObject({ code: 'CREDENTIAL_UNSUITABLE' });
  });
});

describe('a connection within a private network', () => {
  it('speaks TLS when the credential asks for it', async () => {
    expect(await tlsOf(PRIVATE, '')).toBeUndefined();
    expect(await tlsOf(PRIVATE, '?sslmode=require')).toEqual({ host: PRIVATE });
  });
});
