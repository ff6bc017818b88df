// The work of the comparison as a DBOS workflow behind a plain HTTP server: three durable steps, and their result.
import { DBOS } from '@dbos-inc/dbos-sdk';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';

const run = DBOS.registerWorkflow(
  async ({ nonce }) => {
    const kept = await DBOS.runStep(async () => ({ nonce }), { name: 'keep' });
    const isLong = await DBOS.runStep(async () => kept.nonce.length > 8, { name: 'check' });
    return DBOS.runStep(async () => ({ nonce: isLong ? kept.nonce : null }), { name: 'end' });
  },
  { name: 'run' },
);

DBOS.setConfig({
  name: 'bench',
  applicationVersion: '1',
  systemDatabaseUrl: process.env.DBOS_SYSTEM_DATABASE_URL,
  logLevel: 'error',
  runAdminServer: false,
});
await DBOS.launch();

createServer(async (request, response) => {
  try {
    response.setHeader('content-type', 'application/json').end(JSON.stringify(await run(await json(request))));
  } catch (error) {
    response.writeHead(500).end(String(error));
  }
}).listen(Number(process.env.PORT), '127.0.0.1');
