import { createHmac } from 'node:crypto';
import { type ApiSettings, publicUrl } from '../settings.ts';

/** What the MCP endpoint needs of the settings. */
export interface McpSettings {
  /** Origins of pages that may call it. */
  readonly origins: ReadonlySet<string>;
  /** Authenticates what clients hand back when they answer a question. The same on all replicas. */
  readonly stateKey: Buffer;
}

/** Derives the settings of the MCP endpoint. The encryption key cannot be derived from them. */
export function mcpSettings(settings: ApiSettings, allowedOrigins: ReadonlySet<string>): McpSettings {
  return {
    origins: new Set([...allowedOrigins, new URL(publicUrl(settings)).origin]),
    stateKey: createHmac('sha256', settings.ENCRYPTION_KEY).update('deckhand mcp request state').digest(),
  };
}
