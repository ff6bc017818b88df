import { createMailSender } from '@deckhand/nodes';
import type { MailMessage } from '@deckhand/engine';
import { afterAll, describe, expect, it } from '@jest/globals';
import { createServer, type Socket } from 'node:net';
import { stopAll, stopLater, until } from '../../harness/index.ts';

afterAll(stopAll);

const sender = createMailSender({ allowPrivate: true });

type Answer = (socket: Socket) => void;

const say =
  (text: string): Answer =>
  (socket) =>
    void socket.write(text);

const sayForever =
  (beginning: string, text: string): Answer =>
  (socket) => {
    socket.write(beginning);
    const bytes = Buffer.from(text.repeat(Math.ceil(16_384 / text.length)));
    const more = (): void => {
      while (socket.writable && socket.write(bytes));
    };
    socket.on('drain', more);
    more();
  };

/** Agrees to TLS, and then sends something else. */
const startNonsense: Answer = (socket) => {
  socket.once('data', () => socket.write('nonsense'.repeat(100)));
  socket.write('220 go\r\n');
};

/** Responses of a server to each command. */
interface Answers {
  readonly greeting: Answer;
  readonly EHLO: Answer;
  readonly STARTTLS: Answer;
  readonly MAIL: Answer;
  readonly RCPT: Answer;
  readonly DATA: Answer;
  readonly message: Answer;
}

const HONEST: Answers = {
  greeting: say('220 there\r\n'),
  EHLO: say('250-there\r\n250 8BITMIME\r\n'),
  STARTTLS: say('502 no\r\n'),
  MAIL: say('250 ok\r\n'),
  RCPT: say('250 ok\r\n'),
  DATA: say('354 go on\r\n'),
  message: say('250 taken\r\n'),
};

function isMoment(text: string): text is keyof Answers {
  return text in HONEST;
}

/** Serves SMTP with these responses, on a free port until the test file ends. */
async function serveMail(answers: Answers): Promise<{ port: number; connections: () => number }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let isMessage = false;
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      const text = bytes.toString();
      const command = /^(EHLO|STARTTLS|MAIL|RCPT|DATA)/.exec(text)?.[1];
      if (isMessage && text.endsWith('\r\n.\r\n')) answers.message(socket);
      else if (command !== undefined && isMoment(command)) answers[command](socket);
      isMessage ||= command === 'DATA';
    });
    answers.greeting(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stopLater({
    stop() {
      for (const socket of sockets) socket.destroy();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return { port: address.port, connections: () => sockets.size };
}

const message = (port: number, signal: AbortSignal): MailMessage => ({
  server: { host: '127.0.0.1', port },
  from: 'shop@example.com',
  to: ['ada@example.com'],
  cc: [],
  bcc: [],
  replyTo: undefined,
  subject: 'Hello',
  text: 'It is on its way.',
  html: undefined,
  headers: {},
  attachments: [],
  idempotencyKey: 'run:node',
  signal,
});

const UNREACHABLE = 'EMAIL_UNREACHABLE';
const FAILED = 'EMAIL_FAILED';

/** What a server does at a certain point, and the resulting error code. */
const ATTACKS: readonly [string, Partial<Answers>, string][] = [
  ['an endless line for a greeting', { greeting: sayForever('220 ', 'x') }, UNREACHABLE],
  ['an endless greeting of lines', { greeting: sayForever('', '220-x\r\n') }, UNREACHABLE],
  ['HTTP for a greeting', { greeting: say('HTTP/1.1 400 Bad Request\r\n\r\n') }, UNREACHABLE],
  ['zero bytes for a greeting', { greeting: say('\0'.repeat(1_000) + '\r\n') }, UNREACHABLE],
  ['a refusal for a greeting', { greeting: say('554 go away\r\n') }, FAILED],
  ['endless abilities', { EHLO: sayForever('', '250-SIZE 10\r\n') }, UNREACHABLE],
  ['a reply of several megabytes', { EHLO: say(`${'250-x\r\n'.repeat(1_000_000)}250 x\r\n`) }, UNREACHABLE],
  ['replies that nobody asked for', { message: sayForever('', '\r\n'.repeat(100)) }, UNREACHABLE],
  ['an offer of TLS that it cannot keep', { EHLO: say('250 STARTTLS\r\n'), STARTTLS: startNonsense }, UNREACHABLE],
  ['a long refusal', { RCPT: say(`550 ${'x'.repeat(60_000)}\r\n`) }, FAILED],
  ['a closed connection', { MAIL: (socket) => void socket.end() }, UNREACHABLE],
  ['a reset connection', { DATA: (socket) => void socket.resetAndDestroy() }, UNREACHABLE],
  ['a reply without a number', { message: say('thanks\r\n') }, UNREACHABLE],
  ['an endless last line', { message: sayForever('250 ', 'x') }, UNREACHABLE],
];

describe('a mail server that sends', () => {
  it.each(ATTACKS)('%s fails its node, and nothing else', async (_what, answers, code) => {
    const { port, connections } = await serveMail({ ...HONEST, ...answers });
    const before = process.memoryUsage().rss;
    const failure: unknown = await sender
      .send(message(port, AbortSignal.timeout(5_000)))
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({ code });
    expect(String(failure).length).toBeLessThan(3_000);
    expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000);
    await until(() => connections() === 0, 'the end of the connection');
    const honest = await serveMail(HONEST);
    const receipt = await sender.send(message(honest.port, AbortSignal.timeout(5_000)));
    expect(receipt.accepted).toEqual(['ada@example.com']);
  });

  it.each(['greeting', 'EHLO', 'MAIL', 'RCPT', 'DATA', 'message'])(
    'nothing to %s holds its node no longer than its time',
    async (moment) => {
      const { port, connections } = await serveMail({ ...HONEST, [moment]: say('') });
      await expect(sender.send(message(port, AbortSignal.timeout(200)))).rejects.toThrow('timeout');
      await until(() => connections() === 0, 'the end of the connection');
    },
  );
});
