import type { NodeDefinition } from '@deckhand/contracts';

/** The message where no addresses of links are known. */
export const NO_LINKS = 'there are no links, because PUBLIC_URL is not set on this worker';

/** Returns the value of `$links.<id>` where nothing can be answered: in tests, previews and sandbox mode. */
export function exampleLink(nodeId: string, iteration: string): string {
  return `https://deckhand.example/answer/${[nodeId, ...(iteration === '' ? [] : [iteration])].join('.')}`;
}

/** Returns whether a node's question may be answered by a link: only if its parameter says so as a plain value. */
export function allowsLinks({ parameters }: NodeDefinition): boolean {
  return parameters?.allowLinks === true;
}
