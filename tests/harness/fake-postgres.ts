import { createServer, type Socket } from 'node:net';
import { stopLater } from './cleanup.ts';
import { createMessageReader } from './postgres-messages.ts';

/** Bytes of a message of PostgreSQL's wire protocol. `length` lies about them. */
export function frame(type: string, body: string | Buffer = '', length?: number): Buffer {
  const bytes = Buffer.from(body);
  const header = Buffer.alloc(5);
  header.write(type, 'latin1');
  header.writeUInt32BE(length ?? bytes.length + 4, 1);
  return Buffer.concat([header, bytes]);
}

/** A number of 16 or 32 bits as the protocol writes it. */
export const int16 = (value: number): Buffer => Buffer.from([(value >> 8) & 0xff, value & 0xff]);
export const int32 = (value: number): Buffer => Buffer.concat([int16(value >>> 16), int16(value)]);

/** The description of rows with one column of this type. */
export function rowDescription(oid: number, name = 'value'): Buffer {
  const column = [Buffer.from(`${name}\0`), int32(0), int16(0), int32(oid), int16(-1), int32(-1), int16(0)];
  return frame('T', Buffer.concat([int16(1), ...column]));
}

/** A row of one column. */
export function row(value: string): Buffer {
  return frame('D', Buffer.concat([int16(1), int32(Buffer.byteLength(value)), Buffer.from(value)]));
}

export const READY = frame('Z', 'I');
export const LOGGED_IN = Buffer.concat([frame('R', int32(0)), READY]);
/** The response to `BEGIN; SELECT pg_backend_pid() AS pid`. */
export const BEGUN = Buffer.concat([
  frame('C', 'BEGIN\0'),
  rowDescription(23, 'pid'),
  row('7'),
  frame('C', 'SELECT 1\0'),
  frame('Z', 'T'),
]);
/** What it sends before the rows of a query with one column of this type. */
export const described = (oid: number): Buffer => Buffer.concat([frame('1'), frame('2'), rowDescription(oid)]);

/** The responses of a server in each phase of a session; none if a member is missing. */
export interface FakeAnswers {
  /** To the first bytes of the client. */
  readonly login?: (socket: Socket) => void;
  /** To a simple query: `BEGIN …`, `COMMIT`. */
  readonly simple?: (socket: Socket, sql: string) => void;
  /** To a statement that was parsed, bound and described. */
  readonly describe?: (socket: Socket) => void;
  /** To each request for rows. */
  readonly execute?: (socket: Socket) => void;
}

/** An honest server of one row, `{ value: 'hello' }`. */
export const HONEST: Required<FakeAnswers> = {
  login: (socket) => void socket.write(LOGGED_IN),
  simple: (socket, sql) =>
    void socket.write(sql.startsWith('BEGIN') ? BEGUN : Buffer.concat([frame('C', 'COMMIT\0'), READY])),
  describe: (socket) => void socket.write(described(25)),
  execute: (socket) => void socket.write(Buffer.concat([row('hello'), frame('C', 'SELECT 1\0'), frame('Z', 'T')])),
};

/** A server that is up. */
export interface FakePostgres {
  readonly url: string;
  /** Number of open connections. */
  readonly connections: () => number;
  /** Number of bytes that it has sent, those still in its buffers included. */
  readonly bytesSent: () => number;
}

/** Serves PostgreSQL's protocol with these responses, on a free port until the test file ends. */
export async function fakePostgres(answers: FakeAnswers): Promise<FakePostgres> {
  const sockets = new Set<Socket>();
  const all: Socket[] = [];
  const server = createServer((socket) => {
    sockets.add(socket);
    all.push(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
    const reader = createMessageReader();
    socket.once('data', () => {
      answers.login?.(socket);
      socket.on('data', (bytes) => {
        for (const message of reader.take(bytes)) {
          if (message.type === 'Q') answers.simple?.(socket, message.bytes.toString('utf8', 5));
          if (message.type === 'D') answers.describe?.(socket);
          if (message.type === 'E') answers.execute?.(socket);
        }
      });
    });
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
  return {
    url: `postgres://ada:secret@127.0.0.1:${address.port}/x`,
    connections: () => sockets.size,
    bytesSent: () => all.reduce((sum, socket) => sum + socket.bytesWritten, 0),
  };
}

/** Writes the same bytes for as long as the other side reads them. */
export function writeForever(socket: Socket, bytes: Buffer): void {
  const more = (): void => {
    while (socket.writable && socket.write(bytes));
  };
  socket.on('drain', more);
  more();
}
