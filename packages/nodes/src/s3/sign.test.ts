import { describe, expect, it } from '@jest/globals';
import { presignedUrl, sha256, signedHeaders, withQuery } from './sign.ts';

/** The key and the time of the examples in the documentation of Amazon S3 (API reference, Signature Version 4). */
const SIGNER = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  region: 'us-east-1',
  now: Date.UTC(2013, 4, 24),
};
const HOST = 'https://examplebucket.s3.amazonaws.com';

interface Example {
  readonly what: string;
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signature: string;
}

describe('the signature of the documentation', () => {
  it.each<Example>([
    {
      what: 'GET with a range',
      method: 'GET',
      url: new URL(`${HOST}/test.txt`),
      headers: { range: 'bytes=0-9' },
      body: '',
      signature: 'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
    },
    {
      what: 'PUT of a text',
      method: 'PUT',
      url: new URL(`${HOST}/test%24file.text`),
      headers: { date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' },
      body: 'Welcome to Amazon S3.',
      signature: '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
    },
    {
      what: 'the configuration of a bucket',
      method: 'GET',
      url: withQuery(new URL(HOST), { lifecycle: '' }),
      headers: {},
      body: '',
      signature: 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
    },
    {
      what: 'a list',
      method: 'GET',
      url: withQuery(new URL(HOST), { prefix: 'J', 'max-keys': '2' }),
      headers: {},
      body: '',
      signature: '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
    },
  ])('is that of $what', ({ method, url, headers, body, signature }) => {
    const { authorization } = signedHeaders({ method, url, headers }, sha256(body), SIGNER);
    expect(authorization).toContain(`Signature=${signature}`);
  });

  it('is that of a link', () => {
    expect(presignedUrl(new URL(`${HOST}/test.txt`), 86_400, SIGNER).searchParams.get('X-Amz-Signature')).toBe(
      'aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
    );
  });
});
