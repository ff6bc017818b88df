import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { Attack } from './attack.ts';
import { chainOf, listOf, type Scene } from './scene.ts';

/** Serves while an attack lasts. */
async function serving<T>(server: Server, work: (port: number) => Promise<T>): Promise<T> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  try {
    return await work(address.port);
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
}

/** Writes as long as the other side reads. */
function pour(socket: NodeJS.WritableStream & { destroyed: boolean }, piece: Buffer | string): void {
  const more = (): void => {
    for (let n = 0; n < 16 && !socket.destroyed; n += 1) if (!socket.write(piece)) return;
    if (!socket.destroyed) setImmediate(more);
  };
  socket.on('drain', more);
  more();
}

const TIMEOUT = { timeoutSeconds: 1 };

function ofHttp(name: string, ends: string | RegExp, listener: RequestListener, parameters: object = {}): Attack {
  return {
    name: `an HTTP server ${name}`,
    ends,
    launch: ({ attacker }) =>
      serving(createHttpServer({ maxHeaderSize: 1024 }, listener), (port) =>
        attacker.runOnce(
          chainOf({ type: 'http', parameters: { url: `http://127.0.0.1:${port}/`, ...parameters }, ...TIMEOUT }),
        ),
      ),
  };
}

/** A server of raw bytes that no HTTP library would send. */
function ofBytes(name: string, ends: string | RegExp, answer: (socket: Socket) => void): Attack {
  return {
    name: `an HTTP server ${name}`,
    ends,
    launch: ({ attacker }) =>
      serving(
        createServer((socket) => socket.once('data', () => answer(socket))),
        (port) =>
          attacker.runOnce(chainOf({ type: 'http', parameters: { url: `http://127.0.0.1:${port}/` }, ...TIMEOUT })),
      ),
  };
}

async function credential({ attacker }: Scene, type: string, secret: object): Promise<string> {
  const { workspaceId } = attacker;
  const { status, body } = await attacker.call('POST', '/api/credentials', { workspaceId, name: 'c', type, secret });
  if (status !== 201) throw new Error(`credential: ${status} ${JSON.stringify(body)}`);
  return body.id;
}

/** A message of PostgreSQL's wire protocol. */
function message(type: string, body: Buffer, length = body.length + 4): Buffer {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(length, 1);
  return Buffer.concat([head, body]);
}
const READY = message('Z', Buffer.from('I'));
const AUTH_OK = message('R', Buffer.alloc(4));
const ONE_COLUMN = message('T', Buffer.concat([Buffer.from([0, 1]), Buffer.from('a\0'), Buffer.alloc(18)]));
const row = (bytes: number): Buffer => {
  const head = Buffer.alloc(6);
  head.writeInt16BE(1);
  head.writeInt32BE(bytes, 2);
  return message('D', Buffer.concat([head, Buffer.alloc(bytes, 'a')]));
};

/** Accepts the connection like a server that trusts everybody, and gives a hostile response to the first statement. */
function ofPostgres(name: string, answer: (socket: Socket) => void, query = ''): Attack {
  return {
    name: `a PostgreSQL server ${name}`,
    ends: /^failed /,
    launch: (scene) =>
      serving(
        createServer((socket) => {
          let messages = 0;
          socket.on('data', (bytes) => {
            messages += 1;
            if (messages === 1 && bytes.length === 8) {
              messages = 0;
              socket.write('N');
            } else if (messages === 1) socket.write(Buffer.concat([AUTH_OK, READY]));
            else answer(socket);
          });
        }),
        async (port) => {
          const connectionString = `postgres://a:b@127.0.0.1:${port}/c?sslmode=disable${query}`;
          const credentialId = await credential(scene, 'postgres', { connectionString });
          const node = { type: 'postgres', parameters: { query: 'SELECT 1' }, credentialId, ...TIMEOUT };
          return scene.attacker.runOnce(chainOf(node));
        },
      ),
  };
}

function ofSmtp(name: string, greet: (socket: Socket) => void): Attack {
  return {
    name: `an SMTP server ${name}`,
    ends: /^failed /,
    launch: (scene) =>
      serving(createServer(greet), async (port) => {
        const credentialId = await credential(scene, 'smtp', { host: '127.0.0.1', port, secure: false });
        const parameters = { from: 'a@example.com', to: 'b@example.com', subject: 's', text: 't' };
        return scene.attacker.runOnce(chainOf({ type: 'email', parameters, credentialId, ...TIMEOUT }));
      }),
  };
}

const json: RequestListener = (_request, response) => void response.setHeader('content-type', 'application/json');
const KILOBYTES = Buffer.alloc(65_536, 'a');

/** Hostile servers that nodes call. */
export const SERVER_ATTACKS: readonly Attack[] = [
  ofHttp('that sends without end', /^failed /, (_request, response) => {
    pour(response, KILOBYTES);
  }),
  ofHttp('that sends a byte at a time', /^failed /, (_request, response) => {
    const timer = setInterval(() => response.write('a'), 50);
    response.on('close', () => clearInterval(timer));
  }),
  ofHttp('that never answers', /^failed /, () => undefined),
  ofHttp('that redirects in a circle', /^failed /, (_request, response) => {
    response.writeHead(302, { location: '/' }).end();
  }),
  ofHttp('that sends a bomb', /^failed /, (_request, response) => {
    const bomb = gzipSync(Buffer.alloc(200 * 1024 * 1024));
    response.writeHead(200, { 'content-encoding': 'gzip', 'content-type': 'text/plain' }).end(bomb);
  }),
  ofHttp('that packs and packs', /^failed |^success/, (_request, response) => {
    const packed = listOf(20, () => 0).reduce<Buffer>((bytes) => gzipSync(bytes), Buffer.alloc(1_000_000));
    response
      .writeHead(200, { 'content-encoding': listOf(20, () => 'gzip').join(), 'content-type': 'text/plain' })
      .end(packed);
  }),
  ofHttp('that sends a million different names', /^failed |^success/, (request, response) => {
    json(request, response);
    response.end(JSON.stringify(Object.fromEntries(listOf(700_000, (n) => [`k${n}`, 1]))));
  }),
  ofHttp('that sends three million empty arrays', /^failed |^success/, (request, response) => {
    json(request, response);
    response.end(`[${'[],'.repeat(3_000_000)}1]`);
  }),
  ofHttp('that sends brackets without end', /^failed |^success/, (request, response) => {
    json(request, response);
    response.end('['.repeat(5_000_000));
  }),
  ofBytes('that sends headers without end', /^failed /, (socket) => {
    socket.write('HTTP/1.1 200 OK\r\n');
    pour(socket, 'x-a: b\r\n'.repeat(1_000));
  }),
  ofBytes('that sends one header without end', /^failed /, (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nx-a: ');
    pour(socket, KILOBYTES);
  }),
  ofBytes('that lies about its length', /^failed /, (socket) => {
    socket.end('HTTP/1.1 200 OK\r\ncontent-length: 900000000\r\n\r\na');
  }),
  ofBytes('that sends chunks of no size', /^failed /, (socket) => {
    socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
    pour(socket, 'fffffffffffffff\r\n');
  }),
  ofBytes('that speaks another language', /^failed /, (socket) => {
    pour(socket, Buffer.alloc(65_536, 255));
  }),
  ofPostgres('that errs at once', (socket) => {
    socket.write(Buffer.concat([message('E', Buffer.from('SFATAL\0CXX000\0Mno\0\0')), READY]));
  }),
  ofPostgres(
    'that errs, asked to verify',
    (socket) => socket.write(message('E', Buffer.from('SERROR\0'))),
    '&verify=1',
  ),
  ofPostgres('that sends rows without end', (socket) => {
    socket.write(ONE_COLUMN);
    pour(socket, row(1_000));
  }),
  ofPostgres('that sends a row of ten megabytes', (socket) => {
    socket.write(Buffer.concat([ONE_COLUMN, row(11_000_000)]));
  }),
  ofPostgres('that says its message has two gigabytes', (socket) => {
    socket.write(message('D', Buffer.alloc(10), 2_147_483_647));
    pour(socket, KILOBYTES);
  }),
  ofPostgres('that says its message has less than nothing', (socket) => {
    socket.write(message('D', Buffer.alloc(10), -5));
  }),
  ofPostgres('that sends columns that are not there', (socket) => {
    socket.write(message('D', Buffer.from([127, 255, 127, 255])));
  }),
  ofPostgres('that sends what is not a message', (socket) => {
    pour(socket, Buffer.alloc(65_536, 255));
  }),
  ofPostgres('that says nothing', () => undefined),
  ofPostgres('that hangs up', (socket) => {
    socket.destroy();
  }),
  ofPostgres('that never stops telling', (socket) => {
    pour(socket, message('N', Buffer.from(`SNOTICE\0M${'a'.repeat(1_000)}\0\0`)));
  }),
  ofSmtp('that greets without end', (socket) => {
    pour(socket, '220-hello\r\n'.repeat(1_000));
  }),
  ofSmtp('that sends one line without end', (socket) => {
    socket.write('220 ');
    pour(socket, KILOBYTES);
  }),
  ofSmtp('that says nothing', () => undefined),
  ofSmtp('that speaks another language', (socket) => {
    pour(socket, Buffer.alloc(65_536, 255));
  }),
  ofSmtp('that hangs up', (socket) => {
    socket.destroy();
  }),
];
