import { createPublicKey, verify } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import {
  createAsymmetricSecret,
  createSigner,
  createSymmetricSecret,
  publicKeyOf,
  signMessage,
} from './webhook-signature.ts';

/** The message of the reference implementations' tests. */
const MESSAGE = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestamp: 1_614_265_330, payload: '{"test": 2432232314}' };

describe('signatures of the Standard Webhooks specification', () => {
  it('v1a: signs as the vector of the specification', () => {
    const secret = 'whsk_6Xb/dCcHpPea21PS1N9VY/NZW723CEc77N4rJCubMbfVKIDij2HKpMKkioLlX0dRqSKJp4AJ6p9lMicMFs6Kvg==';
    expect(publicKeyOf(secret)).toBe('whpk_1SiA4o9hyqTCpIqC5V9HUakiiaeACeqfZTInDBbOir4=');
    expect(signMessage(MESSAGE, [createSigner(secret)])).toEqual({
      'webhook-id': MESSAGE.id,
      'webhook-timestamp': '1614265330',
      'webhook-signature':
        'v1a,hnO3f9T8Ytu9HwrXslvumlUpqtNVqkhqw/enGzPCXe5BdqzCInXqYXFymVJaA7AZdpXwVLPo3mNl8EM+m7TBAg==',
    });
  });

  it('v1: signs as the reference library, with a new secret too', () => {
    for (const secret of ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', createSymmetricSecret()]) {
      const expected = new Webhook(secret).sign(MESSAGE.id, new Date(MESSAGE.timestamp * 1_000), MESSAGE.payload);
      expect(signMessage(MESSAGE, [createSigner(secret)])['webhook-signature']).toBe(expected);
      expect(publicKeyOf(secret)).toBeUndefined();
    }
  });

  it('v1a: a new key verifies by its public key alone', () => {
    const secret = createAsymmetricSecret();
    const publicKey = Buffer.from(publicKeyOf(secret)?.slice('whpk_'.length) ?? '', 'base64');
    const key = createPublicKey({
      key: { kty: 'OKP', crv: 'Ed25519', x: publicKey.toString('base64url') },
      format: 'jwk',
    });
    const signature = createSigner(secret)('content').slice('v1a,'.length);
    expect(verify(null, Buffer.from('content'), key, Buffer.from(signature, 'base64'))).toBe(true);
    expect(verify(null, Buffer.from('Content'), key, Buffer.from(signature, 'base64'))).toBe(false);
  });

  it('has one signature of each secret, and a receiver with any of them accepts the message', () => {
    const secrets = [createSymmetricSecret(), createAsymmetricSecret(), createSymmetricSecret()];
    const message = { ...MESSAGE, timestamp: Math.floor(Date.now() / 1_000) };
    const headers = signMessage(message, secrets.map(createSigner));
    for (const secret of [secrets[0], secrets[2]]) {
      expect(new Webhook(secret ?? '').verify(message.payload, headers)).toEqual({ test: 2_432_232_314 });
    }
    expect(() => new Webhook(createSymmetricSecret()).verify(message.payload, headers)).toThrow();
  });

  it.each(['', 'abc', 'whpk_AAAA', 'whsk_AAAA'])('refuses the secret "%s"', (secret) => {
    expect(() => createSigner(secret)).toThrow(RangeError);
  });
});
