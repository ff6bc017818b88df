import { composeConnector, type Connector, readPack } from '@deckhand/connectors';
import type { Connectors } from '@deckhand/engine';
import { type BuiltInConnectors, createConnectors, createInputChecker, createSchemaChecker } from '@deckhand/nodes';
import { readFileSync } from 'node:fs';

const FOLDER = new URL('./packs/tracker/', import.meta.url);

/** The pack of a small tracker of issues, and its document. */
export const TRACKER = {
  pack: readFileSync(new URL('pack.yaml', FOLDER), 'utf8'),
  document: readFileSync(new URL('openapi.yaml', FOLDER), 'utf8'),
};

/** Returns the tracker with its service at another address. */
export function trackerAt(url: string): typeof TRACKER {
  return { ...TRACKER, document: TRACKER.document.replace('https://tracker.example.com', url) };
}

/** Returns a pack of a chat, whose messages have a choice of its channels, and its document. */
export function chatAt(url: string): typeof TRACKER {
  const cursor = { name: 'cursor', in: 'query', schema: { type: 'string' } };
  const message = { type: 'object', properties: { channel: { type: 'string' } } };
  const requestBody = { content: { 'application/json': { schema: message } } };
  const paths = {
    '/channels': { get: { operationId: 'list', parameters: [cursor] } },
    '/messages': { post: { operationId: 'send', requestBody } },
  };
  return { pack: CHAT, document: JSON.stringify({ openapi: '3.1.0', servers: [{ url }], paths }) };
}

const CHAT = `
name: chat
version: 1.0.0
title: Chat
test: channel.list
errorMessage: error
operations:
  - id: channel.list
    operation: list
    title: List channels
    paging: { mode: cursor, next: next, parameter: cursor, items: channels }
  - id: message.send
    operation: send
    title: Send a message
    fields: { body.channel: { options: { action: channel.list, items: channels, value: id, label: name } } }
`;

/** Reads a pack and its document. @throws for one with issues. */
export function readTracker({ pack, document } = TRACKER): Connector {
  const names = { pack: 'pack.yaml', document: 'openapi.yaml' };
  const read = readPack({
    pack: { name: names.pack, text: pack },
    document: { name: names.document, text: document },
  });
  const composed = 'issues' in read ? read : composeConnector(read.source, names);
  if ('issues' in composed) throw new Error(JSON.stringify(composed.issues));
  return composed.connector;
}

const NONE: BuiltInConnectors = {
  list: () => Promise.resolve([]),
  read: () => Promise.resolve(undefined),
};

/** Creates the connectors of a workspace that has the one of a pack and its document, and no other. */
export function connectorsOf(files = TRACKER): Connectors {
  const { actions, ...head } = readTracker(files);
  const checkInput = createInputChecker(createSchemaChecker());
  const find = (id: string) => actions.find((action) => action.id === id);
  return createConnectors({
    checkInput,
    builtIn: NONE,
    store: {
      findId: (_workspaceId, { connector, version, operation }) => {
        const isKnown = connector === head.name && version === head.version && find(operation);
        return Promise.resolve(isKnown ? 'tracker' : undefined);
      },
      read: (_id, operation) =>
        Promise.resolve({ head: JSON.stringify(head), action: JSON.stringify(find(operation)) }),
    },
  });
}
