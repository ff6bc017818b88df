import { createMailSender } from '@deckhand/nodes';
import type { MailMessage } from '@deckhand/engine';
import { afterAll, describe, expect, it } from '@jest/globals';
import { createServer } from 'node:net';
import type { SMTPServerOptions } from 'smtp-server';
import { startMailServer } from '../../harness/mail-server.ts';
import { stopAll, stopLater } from '../../harness/index.ts';

afterAll(stopAll);

const sender = createMailSender({ allowPrivate: true });

const message = (port: number, more: Partial<MailMessage> = {}, server: object = {}): MailMessage => ({
  server: { host: '127.0.0.1', port, ...server },
  from: 'The shop <shop@example.com>',
  to: ['ada@example.com'],
  cc: [],
  bcc: [],
  replyTo: undefined,
  subject: 'Grüße',
  text: 'It is on its way.',
  html: undefined,
  headers: {},
  attachments: [],
  idempotencyKey: 'run:node',
  signal: new AbortController().signal,
  ...more,
});

describe('a message', () => {
  it('arrives as it was written, with its attachments, unseen addresses unseen', async () => {
    const { port, messages } = await startMailServer();
    const receipt = await sender.send(
      message(port, {
        to: ['ada@example.com', 'Bob <bob@example.com>'],
        cc: ['carol@example.com'],
        bcc: ['dave@example.com'],
        replyTo: 'answers@example.com',
        html: '<p>It is on its way.</p>',
        headers: { 'X-Order': '17' },
        attachments: [{ filename: 'a.txt', content: Buffer.from('attached'), contentType: undefined }],
      }),
    );
    expect(receipt).toEqual({
      messageId: expect.stringMatching(/^<[0-9a-f]{32}@example\.com>$/),
      accepted: ['ada@example.com', 'bob@example.com', 'carol@example.com', 'dave@example.com'],
      rejected: [],
    });
    const [text = ''] = messages;
    expect(text).toContain('ENVELOPE ada@example.com bob@example.com carol@example.com dave@example.com');
    expect(text.split('\n').slice(1).join('\n')).not.toContain('dave@');
    for (const part of [
      'Reply-To: answers@example.com',
      'X-Order: 17',
      'Subject: =?UTF-8?',
      'multipart/alternative',
      'filename=a.txt',
      Buffer.from('attached').toString('base64'),
      `Message-ID: ${receipt.messageId}`,
    ])
      expect(text).toContain(part);
  });

  describe('with addresses in UTF-8', () => {
    /** A server, and for each message whether it was sent with SMTPUTF8. */
    async function startServer(options: SMTPServerOptions = {}) {
      const withUtf8: boolean[] = [];
      const server = await startMailServer({
        ...options,
        onMailFrom({ args }, _session, done) {
          withUtf8.push(args !== false && 'SMTPUTF8' in args);
          done();
        },
      });
      return { ...server, withUtf8 };
    }

    const FIELDS: readonly [string, Partial<MailMessage>, string, string][] = [
      ['from', { from: 'Jürgen <jürgen@example.org>' }, 'jürgen@example.org', 'ada@example.com'],
      ['to', { to: ['用户@例え.jp'] }, '用户@例え.jp', '用户@例え.jp'],
      ['to, among others', { to: ['bob@example.com', 'größe@example.com'] }, 'größe@example.com', 'bob@example.com'],
      ['cc', { cc: ['Ähm <ähm@größe.example>'] }, 'ähm@größe.example', 'ada@example.com ähm@größe.example'],
      ['bcc', { bcc: ['größe@example.com'] }, 'größe@example.com', 'ada@example.com größe@example.com'],
    ];

    it.each(FIELDS)('is sent with SMTPUTF8 to a server that has it: %s', async (_field, more, _address, recipients) => {
      const { port, messages, withUtf8 } = await startServer();
      const { accepted } = await sender.send(message(port, more));
      expect(withUtf8).toEqual([true]);
      expect(messages).toEqual([expect.stringContaining(`ENVELOPE ${recipients}`)]);
      expect(accepted.join(' ')).toContain(recipients);
    });

    it('is sent to a server that has SMTPUTF8, with their names and addresses in its headers', async () => {
      const { port, messages } = await startServer();
      await sender.send(message(port, { to: ['用户 <用户@例え.jp>'], replyTo: 'jürgen@example.org' }));
      expect(messages[0]).toContain('<用户@例え.jp>');
      expect(messages[0]).toContain('Reply-To: jürgen@example.org');
    });

    it.each([
      ...FIELDS,
      ['replyTo', { replyTo: 'Jürgen <jürgen@example.org>' }, 'jürgen@example.org', ''],
      ['a header', { headers: { Sender: 'jürgen@example.org' } }, 'jürgen@example.org', ''],
    ])('fails for good where the server lacks SMTPUTF8, and is not sent: %s', async (_field, more, address) => {
      const { port, messages, withUtf8 } = await startServer({ hideSMTPUTF8: true });
      await expect(sender.send(message(port, more))).rejects.toMatchObject({
        code: 'EMAIL_ADDRESS_UNSUPPORTED',
        isRetryable: false,
        message: `the server does not support SMTPUTF8, which the address ${address} needs`,
      });
      expect([messages, withUtf8]).toEqual([[], []]);
    });

    it('is sent with domains in ASCII, without SMTPUTF8, where only names and domains have other characters', async () => {
      const { port, messages, withUtf8 } = await startServer({ hideSMTPUTF8: true });
      const receipt = await sender.send(
        message(port, {
          from: 'Jürgen <shop@größe.example>',
          to: ['Größe <ada@größe.example>'],
          replyTo: 'answers@例え.jp',
        }),
      );
      expect(receipt.messageId).toMatch(/^<[0-9a-f]{32}@xn--gre-6ka8i\.example>$/);
      expect(withUtf8).toEqual([false]);
      expect(receipt.accepted).toEqual(['ada@xn--gre-6ka8i.example']);
      expect(messages[0]).toContain('<ada@xn--gre-6ka8i.example>');
      expect(messages[0]).toContain('Reply-To: answers@xn--r8jz45g.jp');
    });

    it('is sent with SMTPUTF8 after signing in, too', async () => {
      const { port, users, withUtf8 } = await startServer();
      const server = { username: 'ada', password: 'right-password' };
      await sender.send(message(port, { to: ['größe@example.com'] }, server));
      expect([users, withUtf8]).toEqual([['ada:right-password'], [true]]);
    });
  });

  it('that is sent again has the same Message-ID, another one another', async () => {
    const { port } = await startMailServer();
    const [first, again, other] = [
      await sender.send(message(port)),
      await sender.send(message(port)),
      await sender.send(message(port, { idempotencyKey: 'run:other' })),
    ];
    expect(again.messageId).toBe(first.messageId);
    expect(other.messageId).not.toBe(first.messageId);
  });

  it('cannot add headers, recipients or files of this machine by what it holds', async () => {
    const { port, messages } = await startMailServer();
    await sender.send(
      message(port, {
        subject: 'Hello\r\nBcc: eve@example.com',
        headers: { 'X-A': 'b\r\nX-Evil: yes' },
        text: 'a\r\n.\r\nMAIL FROM:<eve@example.com>',
      }),
    );
    expect(messages).toHaveLength(1);
    const head = (messages[0] ?? '').split('\r\n\r\n')[0] ?? '';
    expect(head).not.toMatch(/^(Bcc|X-Evil):/im);
    expect(head).toContain('ENVELOPE ada@example.com\n');
  });

  it('says which addresses were refused, and fails when all are', async () => {
    const { port } = await startMailServer();
    const receipt = await sender.send(message(port, { to: ['ada@example.com', 'nobody@example.com'] }));
    expect(receipt).toMatchObject({ accepted: ['ada@example.com'], rejected: ['nobody@example.com'] });
    const refused = sender.send(message(port, { to: ['nobody@example.com'] }));
    await expect(refused).rejects.toMatchObject({ code: 'EMAIL_FAILED', isRetryable: false });
  });

  it('signs in, by TLS where the server has it; a wrong password is refused and not repeated', async () => {
    const { port, messages, users } = await startMailServer({ disabledCommands: [] });
    // The server's certificate is self-signed: the client must not accept it.
    const secured = sender.send(message(port, {}, { username: 'ada', password: 'right-password' }));
    await expect(secured).rejects.toMatchObject({
      code: 'EMAIL_UNREACHABLE',
      message: expect.stringMatching(/certificate/),
    });
    expect([messages, users]).toEqual([[], []]);

    const plain = await startMailServer();
    await sender.send(message(plain.port, {}, { username: 'ada', password: 'right-password' }));
    expect(plain.users).toEqual(['ada:right-password']);
    const wrong = await sender
      .send(message(plain.port, {}, { username: 'ada', password: 'wrong-password' }))
      .catch((error: unknown) => error);
    expect(wrong).toMatchObject({ code: 'EMAIL_FAILED', isRetryable: false });
    expect(String(wrong)).not.toContain('wrong-password');
  });

  it('to a server that is gone, says nothing, or answers later may be tried again', async () => {
    const gone = sender.send(message(1));
    await expect(gone).rejects.toMatchObject({ code: 'EMAIL_UNREACHABLE', isRetryable: true });
    const { port } = await startMailServer({
      onMailFrom(_address, _session, done) {
        done(Object.assign(new Error('try later'), { responseCode: 451 }));
      },
    });
    await expect(sender.send(message(port))).rejects.toMatchObject({ code: 'EMAIL_FAILED', isRetryable: true });
  });

  it('ends immediately when it is aborted', async () => {
    const server = createServer();
    const connected = new Promise<{ closed: Promise<void> }>((resolve) => {
      server.on('connection', (socket) => {
        socket.on('error', () => undefined);
        resolve({ closed: new Promise((done) => socket.on('close', () => done())) });
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    stopLater({ stop: () => new Promise<void>((resolve) => server.close(() => resolve())) });
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('the server has no port');
    const abort = new AbortController();
    const sending = sender.send(message(address.port, { signal: abort.signal }));
    const { closed } = await connected;
    abort.abort();
    await expect(sending).rejects.toThrow();
    await closed;
  });

  it('goes to public addresses only, unless private ones are allowed', async () => {
    const strict = createMailSender({ allowPrivate: false });
    for (const host of ['127.0.0.1', 'localhost', '10.0.0.1', '::1']) {
      await expect(strict.send(message(25, {}, { host }))).rejects.toMatchObject({ code: 'ADDRESS_REFUSED' });
    }
  });
});
