import { createHash, createHmac } from 'node:crypto';
import type { HmacSignature } from '@deckhand/contracts';
import { createAsymmetricSecret, createSigner, publicKeyOf } from '@deckhand/runtime';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readSignature, type SignatureSettings } from './signature.ts';

/** A request that a provider's documentation or its own client signed. */
interface Sample {
  readonly scheme: string;
  /** Where the signature is from. */
  readonly from: string;
  readonly secret: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly url?: string;
  /** The signed time, in seconds; undefined if none is signed. */
  readonly at?: number;
}

const FORM = 'application/x-www-form-urlencoded';
const TWILIO_URL = 'https://mycompany.com/myapp.php?foo=1&bar=2';
const TWILIO_FORM = 'CallSid=CA1234567890ABCDE&Caller=%2B14158675309&Digits=1234&From=%2B14158675309&To=%2B18005551212';
const TWILIO_JSON = '{"property": "value", "boolean": true}';
const TWILIO_JSON_URL = `${TWILIO_URL}&bodySHA256=0a1ff7634d9ab3b95db5c9a2dfe9416e41502b283a80c7cf19632632f96e6620`;
const twilio = (signature: string, contentType = FORM) => ({
  'x-twilio-signature': signature,
  'content-type': contentType,
});

const SAMPLES: readonly Sample[] = [
  {
    scheme: 'standardWebhooks',
    from: 'the specification, and npm standardwebhooks 1.1.1',
    secret: 'whsec_plJ3nmyCDGBKInavdOK15jsl',
    headers: {
      'webhook-id': 'msg_loFOjxBNrRLzqYUf',
      'webhook-timestamp': '1731705121',
      'webhook-signature': 'v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0=',
    },
    body: '{"event_type":"ping","data":{"success":true}}',
    at: 1_731_705_121,
  },
  {
    scheme: 'standardWebhooks',
    from: 'npm standardwebhooks 1.1.1, with a signature of another secret before it',
    secret: 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    headers: {
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature':
        'v1,Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc= v2,AAAA v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    },
    body: '{"test": 2432232314}',
    at: 1_614_265_330,
  },
  {
    scheme: 'stripe',
    from: 'npm stripe 23.1.0, webhooks.generateTestHeaderString, with those of an old secret and of v0',
    secret: 'whsec_test_secret',
    headers: {
      'stripe-signature': `t=1492774577,v1=${'0'.repeat(64)},v1=c2f890decbc5ede7c5060bb9a6d31e0626a4342bacb9aeae2adb1bcea72f9812,v0=6ffbb59b`,
    },
    body: '{\n  "id": "evt_test_webhook",\n  "object": "event"\n}',
    at: 1_492_774_577,
  },
  {
    scheme: 'github',
    from: "GitHub's documentation, and npm @octokit/webhooks-methods 6.0.0",
    secret: "It's a Secret to Everybody",
    headers: {
      'x-hub-signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
    },
    body: 'Hello, World!',
  },
  {
    scheme: 'slack',
    from: "Slack's documentation",
    secret: '8f742231b10e8888abcd99yyyzzz85a5',
    headers: {
      'x-slack-request-timestamp': '1531420618',
      'x-slack-signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
    },
    body: 'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c',
    at: 1_531_420_618,
  },
  {
    scheme: 'shopify',
    from: 'openssl, as its documentation describes: it has no example with a secret',
    secret: 'hush',
    headers: { 'x-shopify-hmac-sha256': 'gHDQy76+38chKmG/hW2suoASSgJPriCh7sYbzaB7OQI=' },
    body: '{"id":820982911946154508,"total_price":"403.00"}',
  },
  {
    scheme: 'twilio',
    from: 'npm twilio 6.3.1',
    secret: '12345',
    url: TWILIO_URL,
    headers: twilio('RSOYDt4T1cUTdK1PDd93/VVr8B8='),
    body: TWILIO_FORM,
  },
  {
    scheme: 'twilio',
    from: 'npm twilio 6.3.1, of a URL with the port',
    secret: '12345',
    url: TWILIO_URL,
    headers: twilio('kvajT1Ptam85bY51eRf/AJRuM3w='),
    body: TWILIO_FORM,
  },
  {
    scheme: 'twilio',
    from: 'npm twilio 6.3.1, of repeated fields and text that is not ASCII',
    secret: '12345',
    url: TWILIO_URL,
    headers: twilio('9OmlEhfK/OpXIcDtHYBtJ6w5NAs='),
    body: `${TWILIO_FORM}&MediaUrl=b&MediaUrl=a&MediaUrl=b&Body=Gr%C3%BC%C3%9Fe+%F0%9F%91%8B+%2B1`,
  },
  {
    scheme: 'twilio',
    from: 'npm twilio 6.3.1, of JSON',
    secret: '12345',
    url: TWILIO_JSON_URL,
    headers: twilio('a9nBmqA0ju/hNViExpshrM61xv4=', 'application/json'),
    body: TWILIO_JSON,
  },
  {
    scheme: 'twilio',
    from: 'npm twilio 6.3.1, with a shared key',
    secret: '12345',
    url: TWILIO_URL,
    headers: {
      ...twilio('033hgUJA9M/hXIZsYjwkerEP/DBm35nEri5FhCYjA5s='),
      'x-twilio-webhooks-signature-settings': 'key=webhooks_sharedkey_1,algorithm=HMAC_SHA256',
    },
    body: TWILIO_FORM,
  },
];

interface Sent {
  readonly scheme: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: string | Buffer;
  readonly secrets: readonly string[];
  readonly nowMs: number;
  readonly url?: string | undefined;
  readonly method?: string;
  readonly hmac?: HmacSignature;
}

async function isAccepted(sent: Sent): Promise<boolean> {
  const { scheme, headers, body, secrets, nowMs, url = 'https://hooks.example/webhook/x', method = 'POST' } = sent;
  const distinct = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat()]));
  const settings: SignatureSettings = { scheme, toleranceSeconds: 300, hmac: sent.hmac };
  const verify = readSignature({ method, url, headers: distinct }, settings, nowMs);
  return verify !== undefined && (await verify(Buffer.from(body), secrets));
}

const genuine = ({ scheme, headers, body, secret, url, at = 0 }: Sample): Sent => ({
  ...{ scheme, headers, body, url },
  secrets: [secret],
  nowMs: at * 1_000,
});

describe.each(SAMPLES)('$scheme: a signature from $from', (sample) => {
  const sent = genuine(sample);

  it('is accepted, also if the secret is the second of two', async () => {
    expect(await isAccepted(sent)).toBe(true);
    expect(await isAccepted({ ...sent, secrets: ['another', ...sent.secrets] })).toBe(true);
  });

  it('is refused with another secret', async () => {
    expect(await isAccepted({ ...sent, secrets: [] })).toBe(false);
    expect(await isAccepted({ ...sent, secrets: ['YW5vdGhlcg=='] })).toBe(false);
  });

  it('is refused with any other body', async () => {
    for (const body of ['', `${sample.body} `, sample.body.slice(1), sample.body.replace(/[a-z]/, 'Z')]) {
      expect(await isAccepted({ ...sent, body })).toBe(false);
    }
  });

  it('is refused if a header is missing, sent twice, empty or too long', async () => {
    for (const name of Object.keys(sample.headers)) {
      if (name === 'content-type') continue;
      const { [name]: value = '', ...others } = sample.headers;
      const isOptional = name === 'x-twilio-webhooks-signature-settings';
      if (!isOptional) expect(await isAccepted({ ...sent, headers: { ...others, [name]: '' } })).toBe(false);
      for (const headers of [
        others,
        { ...others, [name]: [value, value] },
        { ...others, [name]: `${value}${' '.repeat(isOptional ? 0 : 4_096)}${isOptional ? 'X' : ''}` },
      ]) {
        expect(await isAccepted({ ...sent, headers })).toBe(false);
      }
    }
  });

  const { at } = sample;
  if (at === undefined) return;
  it.each([
    [301, false],
    [300, true],
    [-300, true],
    [-301, false],
  ])('is accepted up to five minutes from its time: %i s', async (seconds, expected) => {
    expect(await isAccepted({ ...sent, nowMs: (at + seconds) * 1_000 })).toBe(expected);
  });
});

describe('standardWebhooks', () => {
  it('takes a public key instead of a secret, for asymmetric signatures', async () => {
    const secret = createAsymmetricSecret();
    const [id, time, body] = ['msg_1', '1700000000', '{"a":1}'];
    const signature = createSigner(secret)(`${id}.${time}.${body}`);
    const headers = { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signature };
    const sent = { scheme: 'standardWebhooks', headers, body, nowMs: 1_700_000_000_000 };
    const publicKey = publicKeyOf(secret) ?? '';
    expect(await isAccepted({ ...sent, secrets: [publicKey] })).toBe(true);
    expect(await isAccepted({ ...sent, secrets: [publicKey], body: '{"a":2}' })).toBe(false);
    expect(await isAccepted({ ...sent, secrets: [publicKeyOf(createAsymmetricSecret()) ?? ''] })).toBe(false);
    expect(await isAccepted({ ...sent, secrets: ['whpk_AAAA'] })).toBe(false);
    // A symmetric signature whose key is the public one, which everybody knows.
    const known = createHmac('sha256', Buffer.from(publicKey.slice(5), 'base64')).update(`${id}.${time}.${body}`);
    const forged = { ...headers, 'webhook-signature': `v1,${known.digest('base64')}` };
    expect(await isAccepted({ ...sent, headers: forged, secrets: [publicKey] })).toBe(false);
  });

  it.each(['whsec_', 'whsec_A', 'whsec_not base64', ''])('accepts nothing with the secret %p', async (secret) => {
    const signature = `v1,${createHmac('sha256', '').update('m.1.x').digest('base64')}`;
    const headers = { 'webhook-id': 'm', 'webhook-timestamp': '1', 'webhook-signature': signature };
    const sent = { scheme: 'standardWebhooks', headers, body: 'x', nowMs: 1_000 };
    expect(await isAccepted({ ...sent, secrets: [secret] })).toBe(false);
  });
});

describe('twilio', () => {
  const sign = (text: string): string => createHmac('sha1', 't').update(text).digest('base64');
  const url = 'https://hooks.example/webhook/x';
  const sent = { scheme: 'twilio', secrets: ['t'], nowMs: 0, url };

  it('accepts a request without a body, whose parameters are in the URL', async () => {
    const signed = `${url}?a=%27b`;
    const headers = { 'x-twilio-signature': sign(signed) };
    expect(await isAccepted({ ...sent, headers, body: '', method: 'GET', url: signed })).toBe(true);
  });

  it.each([
    ['JSON without its hash in the URL', 'application/json', '{}'],
    ['a body of no type', '', 'a=1'],
    ['a form in another charset', `${FORM}; charset=utf-16`, 'a=1'],
    ['a form of more than a thousand fields', FORM, 'a=1&'.repeat(1_001)],
    ['a form of more than a MiB', FORM, `a=${'1'.repeat(1_048_576)}`],
  ])('refuses %s', async (_name, type, body) => {
    const texts = [url, `${url}a1`, `${url}a${'1'.repeat(1_048_576)}`];
    for (const text of texts) {
      const headers = { 'x-twilio-signature': sign(text), 'content-type': type };
      expect(await isAccepted({ ...sent, headers, body })).toBe(false);
    }
  });

  it('refuses a hash that it does not know', async () => {
    const headers = { 'x-twilio-signature': sign(url), 'x-twilio-webhooks-signature-settings': 'algorithm=HMAC_MD5' };
    expect(await isAccepted({ ...sent, headers, body: '' })).toBe(false);
  });
});

describe('hmac', () => {
  const body = '{"a":"ü"}';
  const sent = { scheme: 'hmac', body, secrets: ['s'], nowMs: 1_700_000_000_123 };
  const digest = (algorithm: string, text: string, encoding: 'hex' | 'base64' | 'base64url'): string =>
    createHmac(algorithm, 's').update(text).digest(encoding);

  it.each(['sha1', 'sha256', 'sha384', 'sha512'] as const)('signs with %s, in each encoding', async (algorithm) => {
    for (const encoding of ['hex', 'base64', 'base64url'] as const) {
      const hmac = { header: 'X-Signature', algorithm, encoding };
      const headers = { 'x-signature': digest(algorithm, body, encoding) };
      expect(await isAccepted({ ...sent, hmac, headers })).toBe(true);
      expect(await isAccepted({ ...sent, hmac, headers, body: '{}' })).toBe(false);
    }
  });

  it('signs the text of its template: time, id, method, URL and body', async () => {
    const hmac: HmacSignature = {
      ...{ header: 'x-signature', prefix: 'v1=', timestampHeader: 'X-Time', idHeader: 'X-Id' },
      signedText: 'constructor|{method}|{url}|{id}|{timestamp}|{body}|{other}',
    };
    const text = `constructor|PUT|https://a.example/?b=c|id-1|1700000000000|${body}|{other}`;
    const headers = { 'x-signature': `v1=${digest('sha256', text, 'hex')}`, 'x-time': '1700000000000', 'x-id': 'id-1' };
    const request = { ...sent, hmac, headers, method: 'PUT', url: 'https://a.example/?b=c' };
    expect(await isAccepted(request)).toBe(true);
    expect(await isAccepted({ ...request, method: 'POST' })).toBe(false);
    expect(await isAccepted({ ...request, url: 'https://a.example/?b=d' })).toBe(false);
    expect(await isAccepted({ ...request, headers: { ...headers, 'x-id': 'id-2' } })).toBe(false);
    expect(await isAccepted({ ...request, headers: { ...headers, 'x-time': '1700000000001' } })).toBe(false);
  });

  it('accepts one of several signatures, up to ten, also with a prefix that has a blank', async () => {
    const hmac = { header: 'x-signature', prefix: 'sha256=' };
    const right = `sha256=${digest('sha256', body, 'hex')}`;
    const wrong = `sha256=${'0'.repeat(64)}`;
    const withHeader = (value: string) => ({ ...sent, hmac, headers: { 'x-signature': value } });
    expect(await isAccepted(withHeader(`${wrong}, ${right}`))).toBe(true);
    expect(await isAccepted(withHeader(`${right} ${wrong}`))).toBe(true);
    expect(await isAccepted(withHeader([right, ...Array.from({ length: 9 }, () => wrong)].join(',')))).toBe(true);
    expect(await isAccepted(withHeader([right, ...Array.from({ length: 10 }, () => wrong)].join(',')))).toBe(false);
    const blank = { header: 'x-signature', prefix: 'HMAC, sha256 ' };
    const headers = { 'x-signature': `HMAC, sha256 ${digest('sha256', body, 'hex')}` };
    expect(await isAccepted({ ...sent, hmac: blank, headers })).toBe(true);
  });

  it('is of the bytes as sent, also if they are binary, and of a large body', async () => {
    for (const bytes of [Buffer.from([0xff, 0, 0xfe]), Buffer.alloc(3_000_000, 'ab')]) {
      const headers = { 'x-signature': createHmac('sha256', 's').update(bytes).digest('hex') };
      expect(await isAccepted({ ...sent, body: bytes, hmac: { header: 'x-signature' }, headers })).toBe(true);
    }
  });

  it('accepts nothing without a description, and nothing of an unknown scheme', async () => {
    const headers = { 'x-signature': digest('sha256', body, 'hex') };
    expect(await isAccepted({ ...sent, headers })).toBe(false);
    expect(await isAccepted({ ...sent, scheme: 'ed448', hmac: { header: 'x-signature' }, headers })).toBe(false);
  });
});

describe('whatever is sent', () => {
  const names = [...new Set(SAMPLES.flatMap(({ headers }) => Object.keys(headers)))];
  const fragments = SAMPLES.flatMap(({ headers }) => Object.values(headers)).flatMap((value) => [
    value,
    ...value.split(/([,= ])/),
  ]);
  const value = fc.oneof(
    fc.string(),
    fc.array(fc.constantFrom(...fragments, ',', ' ', '=', 't=', 'v1=', '0')).map((parts) => parts.join('')),
  );
  const requests = fc.record({
    scheme: fc.constantFrom('standardWebhooks', 'stripe', 'github', 'slack', 'shopify', 'twilio', 'hmac', 'other'),
    headers: fc.dictionary(fc.constantFrom(...names, 'x-s', 'x-t', 'x-i'), fc.oneof(value, fc.array(value))),
    body: fc.uint8Array().map((bytes) => Buffer.from(bytes)),
    url: fc.oneof(fc.webUrl({ withQueryParameters: true }), fc.string(), fc.constant(TWILIO_JSON_URL)),
    secrets: fc.array(fc.oneof(fc.string(), fc.constantFrom('whpk_AAAA', 'whsec_AAAA', `whpk_${'A'.repeat(43)}=`))),
    nowMs: fc.constantFrom(0, 1_731_705_121_000, 1_492_774_577_000, 1_531_420_618_000),
    hmac: fc.record({
      header: fc.constant('x-s'),
      prefix: fc.string(),
      timestampHeader: fc.constant('x-t'),
      idHeader: fc.constant('x-i'),
      signedText: fc.string(),
    }),
  });

  it('is refused and never throws', async () => {
    await fc.assert(
      fc.asyncProperty(requests, async (sent) => {
        expect(await isAccepted(sent)).toBe(false);
      }),
      { numRuns: 1_000 },
    );
  });

  it('is refused if one byte of a genuine body has changed', async () => {
    const changes = fc.tuple(fc.constantFrom(...SAMPLES), fc.nat(), fc.integer({ min: 1, max: 255 }));
    await fc.assert(
      fc.asyncProperty(changes, async ([sample, at, difference]) => {
        const body = Buffer.from(sample.body);
        const index = at % body.length;
        body[index] = (body[index] ?? 0) ^ difference;
        // Twilio signs the decoded fields of a form, of which several bodies may have the same.
        const isSameForm = sample.headers['content-type'] === FORM;
        if (!isSameForm) expect(await isAccepted({ ...genuine(sample), body })).toBe(false);
      }),
      { numRuns: 300 },
    );
  });

  it('has a hash of its body, in a Twilio URL, that is compared without regard to case', async () => {
    const hash = createHash('sha256').update(TWILIO_JSON).digest('hex').toUpperCase();
    const url = `${TWILIO_URL}&bodySHA256=${hash}`;
    const headers = twilio(createHmac('sha1', '12345').update(url).digest('base64'), 'application/json');
    const sent = { scheme: 'twilio', headers, body: TWILIO_JSON, url, secrets: ['12345'], nowMs: 0 };
    expect(await isAccepted(sent)).toBe(true);
  });
});
