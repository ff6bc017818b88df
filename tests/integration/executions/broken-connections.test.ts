import { createDatabase } from '@deckhand/db';
import { afterAll, expect, it } from '@jest/globals';
import { fakePostgres, frame, HONEST, LOGGED_IN } from '../../harness/fake-postgres.ts';
import { stopAll, stopLater } from '../../harness/index.ts';

afterAll(stopAll);

const TERMINATED = frame('E', 'SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0');

it('a server that ends a session in the packet that opens it fails the transaction, and not the process', async () => {
  const server = await fakePostgres({
    ...HONEST,
    login: (socket) => void socket.end(Buffer.concat([LOGGED_IN, TERMINATED])),
  });
  const db = createDatabase({ url: server.url, poolSize: 2 });
  stopLater({ stop: () => db.$disconnect() });
  await expect(db.$transaction(async (tx) => tx.$queryRaw`SELECT 1`)).rejects.toThrow(
    'Client has encountered a connection error and is not queryable',
  );
});
