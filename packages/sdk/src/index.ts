export {
  type BatchResult,
  createDeckhand,
  type Deckhand,
  type DeckhandOptions,
  type ExecuteBatchOptions,
  type ExecuteOptions,
} from './deckhand.js';
export { ConnectionError, DeckhandError, RunFailedError, SignatureError } from './errors.js';
export { pagesByCursor, pagesByOffset } from './pages.js';
export type { Run, WaitOptions } from './run.js';
export type { SendOptions } from './send.js';
export { verifyWebhook, type WebhookMessage } from './verify-webhook.js';
// With `*`: other modules can add to an interface that is exported so, and not to one that is exported by name.
export type * from './workflow-inputs.js';
