import { expect, it } from '@jest/globals';
import { createPrivateKey } from 'node:crypto';
import { createAuthenticator } from '../../../../tests/harness/authenticator.ts';
import { createPasskeys } from './passkeys.ts';

/** A certificate as manufacturers of authenticators have them, and its key: for this test alone. */
const CERTIFICATE = [
  'MIIB8jCCAZigAwIBAgIUAN2xvT9lscPfFS1U6BSu+Q+41LkwCgYIKoZIzj0EAwIwTzELMAkGA1UEBhMCVVMxDTALBgNVBAoMBFRl',
  'c3QxIjAgBgNVBAsMGUF1dGhlbnRpY2F0b3IgQXR0ZXN0YXRpb24xDTALBgNVBAMMBFRlc3QwIBcNMjYxMTI4MTEwNzA5WhgPMjEy',
  'NjExMDQxMTA3MDlaME8xCzAJBgNVBAYTAlVTMQ0wCwYDVQQKDARUZXN0MSIwIAYDVQQLDBlBdXRoZW50aWNhdG9yIEF0dGVzdGF0',
  'aW9uMQ0wCwYDVQQDDARUZXN0MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEPV5L3wCIWm73pjW8xQN132NJ5LtCR5xz0GhadoO1',
  'EDoh2ZoLcEA9hSd+SsTwMZb7vYBZtzqJszhEYpOcOohE9KNQME4wHQYDVR0OBBYEFH1tPASYKkCBSEz3HQBRB+su6GUJMB8GA1Ud',
  'IwQYMBaAFH1tPASYKkCBSEz3HQBRB+su6GUJMAwGA1UdEwEB/wQCMAAwCgYIKoZIzj0EAwIDSAAwRQIhAJNC1DkOJQPp09nuXIAv',
  'rUMvlgWKPDTB4BzfdPE2DdFqAiA+UYOAN8n6tHd2jWQqsbbcfR+KcDj50eF8EraHzW+1uw==',
].join('');
const KEY = [
  'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgMUiDwQe2/HGwLQc4ZsPgCse4twVlzP6ykr6BhKKOzC6hRANCAAQ9',
  'XkvfAIhabvemNbzFA3XfY0nku0JHnHPQaFp2g7UQOiHZmgtwQD2FJ35KxPAxlvu9gFm3OomzOERik5w6iET0',
].join('');

const passkeys = createPasskeys('https://deckhand.example');

it.each([
  ['without an attestation', undefined],
  ['that attests itself', 'itself' as const],
])('a passkey %s is accepted', async (_, attestedBy) => {
  const authenticator = createAuthenticator();
  const given = authenticator.create('Y2hhbGxlbmdl', attestedBy && { attestedBy });
  expect(await passkeys.verifyNew(given, 'Y2hhbGxlbmdl')).toMatchObject({ credentialId: authenticator.id, counter: 1 });
});

it('a passkey with a certificate is refused, unread: nobody asked for one, and its addresses would be fetched', async () => {
  const key = createPrivateKey({ key: Buffer.from(KEY, 'base64'), format: 'der', type: 'pkcs8' });
  const attestedBy = { key, certificate: Buffer.from(CERTIFICATE, 'base64') };
  const given = createAuthenticator().create('Y2hhbGxlbmdl', { attestedBy });
  expect(await passkeys.verifyNew(given, 'Y2hhbGxlbmdl')).toBeUndefined();
});

it('what is not an attestation is refused', async () => {
  const given = createAuthenticator().create('Y2hhbGxlbmdl');
  const response = { ...given.response, attestationObject: 'AAAA' };
  expect(await passkeys.verifyNew({ ...given, response }, 'Y2hhbGxlbmdl')).toBeUndefined();
});
