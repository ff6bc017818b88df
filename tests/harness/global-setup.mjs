// Once before the integration and end-to-end tests: one PostgreSQL server, whose migrated database each test file clones.
// Plain JavaScript over the built packages, since Jest does not compile what runs outside of tests.
import { startTemplateServer } from '@deckhand/local';

export default async function setUp() {
  globalThis.templateServer = await startTemplateServer();
  process.env.TEST_POSTGRES_URL = globalThis.templateServer.url;
}
