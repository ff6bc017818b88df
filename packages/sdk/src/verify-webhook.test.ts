import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { generateKeyPairSync, sign } from 'node:crypto';
import { SignatureError } from './errors.ts';
import { verifyWebhook } from './verify-webhook.ts';

// The example of the specification: https://github.com/standard-webhooks/standard-webhooks
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const PAYLOAD = '{"test": 2432232314}';
const HEADERS = {
  'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  'webhook-timestamp': '1614265330',
  'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
};
const message = { payload: PAYLOAD, headers: HEADERS, secret: SECRET };

beforeEach(() => void jest.useFakeTimers({ now: 1_614_265_330_000, doNotFake: ['nextTick', 'setImmediate'] }));
afterEach(() => void jest.useRealTimers());

describe('verifyWebhook', () => {
  it('accepts the example of the specification, in each form of headers and body', async () => {
    expect(await verifyWebhook(message)).toEqual({ test: 2_432_232_314 });
    const bytes = new TextEncoder().encode(PAYLOAD);
    expect(await verifyWebhook({ ...message, headers: new Headers(HEADERS), payload: bytes })).toBeDefined();
  });

  it('accepts any of several signatures and secrets', async () => {
    const headers = { ...HEADERS, 'webhook-signature': `v1,AAAA v2,x ${HEADERS['webhook-signature']}` };
    expect(await verifyWebhook({ ...message, headers, secret: ['whsec_b3RoZXI=', SECRET] })).toBeDefined();
  });

  it('accepts a signature by a public key', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
    const signed = Buffer.from(`${HEADERS['webhook-id']}.${HEADERS['webhook-timestamp']}.${PAYLOAD}`);
    const headers = { ...HEADERS, 'webhook-signature': `v1a,${sign(null, signed, privateKey).toString('base64')}` };
    const secret = `whpk_${raw.toString('base64')}`;
    expect(await verifyWebhook({ ...message, headers, secret })).toBeDefined();
    await expect(verifyWebhook({ ...message, headers, secret: SECRET })).rejects.toThrow(SignatureError);
  });

  it.each([
    ['another body', { payload: '{"test": 1}' }],
    ['another secret', { secret: 'whsec_b3RoZXI=' }],
    ['another id', { headers: { ...HEADERS, 'webhook-id': 'msg_other' } }],
    ['a time that is not a number', { headers: { ...HEADERS, 'webhook-timestamp': 'now' } }],
    ['no signature', { headers: { ...HEADERS, 'webhook-signature': undefined } }],
    ['a signature that is not base64', { headers: { ...HEADERS, 'webhook-signature': 'v1,%' } }],
    ['a secret that is not base64', { secret: 'whsec_%' }],
  ])('refuses %s', async (_, change) => {
    await expect(verifyWebhook({ ...message, ...change })).rejects.toThrow(SignatureError);
  });

  it('refuses a message that is too old, or from the future', async () => {
    jest.setSystemTime(1_614_265_331_000 + 300_000);
    await expect(verifyWebhook(message)).rejects.toThrow('too old');
    expect(await verifyWebhook({ ...message, toleranceSeconds: 600 })).toBeDefined();
    jest.setSystemTime(1_614_265_329_000 - 300_000);
    await expect(verifyWebhook(message)).rejects.toThrow('too old');
  });
});
