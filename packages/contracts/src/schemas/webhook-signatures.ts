import Type, { type Static } from 'typebox';
import { CLOSED, oneOf } from './common.ts';

/** How senders of webhooks sign their requests; `hmac` is described by the trigger. */
export const WEBHOOK_SIGNATURES = [
  'standardWebhooks',
  'stripe',
  'github',
  'slack',
  'shopify',
  'twilio',
  'hmac',
] as const;
export type WebhookSignature = (typeof WEBHOOK_SIGNATURES)[number];

/** The name of a header (RFC 9110, 5.1). */
const headerName = (description: string) =>
  Type.String({ pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$", description });

/** How a sender signs whose scheme has no name of its own. */
export const HmacSignature = Type.Object(
  {
    header: headerName('The header with the signature, or several of them with commas or blanks between'),
    prefix: Type.Optional(
      Type.String({ maxLength: 100, default: '', description: 'What precedes each signature, such as sha256=' }),
    ),
    algorithm: Type.Optional(
      oneOf(['sha256', 'sha384', 'sha512', 'sha1'], { default: 'sha256', description: 'The hash of the HMAC' }),
    ),
    encoding: Type.Optional(
      oneOf(['hex', 'base64', 'base64url'], { default: 'hex', description: 'How the signature is written' }),
    ),
    signedText: Type.Optional(
      Type.String({
        maxLength: 1_000,
        default: '{body}',
        description:
          'What is signed, such as `{timestamp}.{body}`. `{body}` is the body as sent; also `{timestamp}`, `{id}`, `{method}` and `{url}`',
      }),
    ),
    timestampHeader: Type.Optional(
      headerName('The header with the signed time, in seconds or milliseconds since 1970. Old requests are refused'),
    ),
    idHeader: Type.Optional(headerName('The header with the signed id')),
  },
  CLOSED,
);
export type HmacSignature = Static<typeof HmacSignature>;
