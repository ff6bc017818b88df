export {
  type BatchResult,
  createDeckhand,
  type Deckhand,
  type DeckhandOptions,
  type ExecuteBatchOptions,
  type ExecuteOptions,
} from './deckhand.ts';
export { ConnectionError, DeckhandError, RunFailedError, SignatureError } from './errors.ts';
export type { FileContent, Files, UploadOptions } from './files.ts';
export { pagesByCursor, pagesByOffset } from './pages.ts';
export type { Run, WaitOptions } from './run.ts';
export type { SendOptions } from './send.ts';
export { verifyWebhook, type WebhookEvent, type WebhookMessage } from './verify-webhook.ts';
// With `*`: other modules can add to an interface that is exported so, and not to one that is exported by name.
export type * from './workflow-types.ts';
