import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { stopLater } from './cleanup.ts';

/** A mail server on a free port, and the messages that it received. */
export async function startMailServer(
  options: SMTPServerOptions = {},
): Promise<{ port: number; messages: string[]; users: string[] }> {
  const messages: string[] = [];
  const users: string[] = [];
  const server = new SMTPServer({
    authOptional: true,
    // An expired certificate has a test of its own.
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    logger: false,
    onAuth({ username, password }, _session, done) {
      users.push(`${username}:${password}`);
      if (password === 'right-password') done(null, { user: username });
      else done(new Error('Invalid username or password'));
    },
    onRcptTo({ address }, _session, done) {
      const refusal = Object.assign(new Error('no such mailbox'), { responseCode: 550 });
      done(address.startsWith('nobody') ? refusal : null);
    },
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const to = envelope.rcptTo.map(({ address }) => address).join(' ');
        messages.push(`ENVELOPE ${to}\n${Buffer.concat(chunks).toString()}`);
        done();
      });
    },
    ...options,
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stopLater({ stop: () => new Promise<void>((resolve) => server.close(resolve)) });
  const address = server.server.address();
  if (address === null || typeof address === 'string') throw new Error('the mail server has no port');
  return { port: address.port, messages, users };
}
