import type { JsonObject } from '@deckhand/contracts';

/** Where a parameter of a request is, as OpenAPI names it. Parameters of the server are parts of its URL. */
export type Place = 'server' | 'path' | 'query' | 'header' | 'cookie';

/** How a list or an object becomes text (OpenAPI 3.1.1, 4.8.12.3). `tabDelimited` is from Swagger 2. */
export type Style =
  'matrix' | 'label' | 'simple' | 'form' | 'spaceDelimited' | 'pipeDelimited' | 'tabDelimited' | 'deepObject';

/** How a value becomes text. */
export interface Encoding {
  readonly style: Style;
  readonly explode: boolean;
  /** Whether characters that a URL reserves are sent as they are. */
  readonly allowReserved?: boolean;
}

/** A parameter of a request. Those of the server have no encoding: they are parts of its URL. */
export interface Parameter {
  readonly name: string;
  readonly in: Exclude<Place, 'server'>;
  /** `json`: sent as JSON. */
  readonly encoding: Encoding | 'json';
}

/** The body of a request. */
export interface Body {
  readonly contentType: string;
  /** How members of a form become text, by name; others by the defaults of forms. */
  readonly encodings?: Readonly<Record<string, Encoding>>;
}

/** How requests are authorized. `other` is what credentials cannot express. */
export type SecurityScheme =
  | { readonly type: 'apiKey'; readonly in: 'header' | 'query' | 'cookie'; readonly name: string }
  | { readonly type: 'basic' }
  | { readonly type: 'bearer' }
  | {
      readonly type: 'oauth2';
      readonly authorizationUrl?: string;
      readonly tokenUrl?: string;
      readonly scopes: readonly string[];
    }
  | { readonly type: 'other' };

/** A request that a connector can send, read from a document once. It is JSON, and depends on nothing else. */
export interface Operation {
  /** Its `operationId`, or its method and path. Unique in its document. */
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly isDeprecated: boolean;
  readonly method: string;
  /** The URL of the server, with the names of parameters of the server in braces. */
  readonly server: string;
  /** The path after it, with the names of path parameters in braces. */
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly body?: Body;
  /** The schema of its values: an object of a member per place, and `body`. A tree without references. */
  readonly schema: JsonObject;
  /** The schema of the body of a successful response, if it is JSON. */
  readonly response?: JsonObject;
  /** Alternatives, each of which names the schemes that it needs together; empty if none is needed. */
  readonly security: readonly (readonly string[])[];
  /** Whether parts of the schema were left out because it is too large, and may have any value. */
  readonly isCut: boolean;
}
